"""HTTP/1.1 over a socket, stricter than a browser: a byte too many is an error."""

import socket


class WireError(Exception):
    """No answer, or none that HTTP allows."""


class Response:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, name):
        return self.headers.get(name, "")


class Connection:
    """One connection, opened when it is first needed and kept."""

    def __init__(self, port, timeout=30):
        self.port, self.timeout = port, timeout
        self.socket, self.rest = None, b""

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket, self.rest = None, b""

    def ask(self, target, method="GET", headers=()):
        try:
            return self._ask(target, method, headers)
        except OSError as error:
            # What comes late must not be taken for the next answer.
            self.close()
            raise WireError(f"{method} {target}: {error!r}") from error
        except WireError:
            self.close()
            raise

    def send(self, target, method="GET", headers=()):
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        lines = [f"{method} {target} HTTP/1.1", "Host: soak", *headers, "", ""]
        self.socket.sendall("\r\n".join(lines).encode("latin-1"))

    def _ask(self, target, method, headers):
        if self.rest:
            raise WireError(f"{len(self.rest)} unexpected bytes before {target}")
        self.send(target, method, headers)
        return self.answer(target, method)

    def answer(self, target, method="GET"):
        """Reads the answer to what was sent."""
        head = self._until(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        version, status, *_ = lines[0].split(" ", 2) + [""]
        if version != "HTTP/1.1" or not status.isdigit():
            raise WireError(f"{target}: status line {lines[0]!r}")
        fields = {}
        for line in lines[1:]:
            name, colon, value = line.partition(": ")
            if not colon or name.lower() in fields:
                raise WireError(f"{target}: header line {line!r}, a second one or none at all")
            fields[name.lower()] = value
        status = int(status)
        length = int(fields.get("content-length", "0" if status in (204, 304) else "-1"))
        if length < 0:
            raise WireError(f"{target}: no Content-Length")
        has_body = method != "HEAD" and status not in (204, 304)
        body = self._exactly(length) if has_body else b""
        if fields.get("connection") == "close":
            if self.rest or self.socket.recv(1):
                raise WireError(f"{target}: bytes behind the body")
            self.close()
        return Response(status, fields, body)

    def _until(self, mark):
        while (end := self.rest.find(mark)) < 0:
            self._more()
        head, self.rest = self.rest[:end], self.rest[end + len(mark) :]
        return head

    def _exactly(self, length):
        if len(self.rest) < length:
            parts, have = [self.rest], len(self.rest)
            while have < length:
                part = self.socket.recv(min(1 << 18, length - have))
                if not part:
                    raise WireError(f"the body ended after {have} of {length} bytes")
                parts.append(part)
                have += len(part)
            self.rest = b"".join(parts)
        body, self.rest = self.rest[:length], self.rest[length:]
        return body

    def _more(self):
        part = self.socket.recv(1 << 16)
        if not part:
            raise WireError("the connection ended without an answer")
        self.rest += part
