import Glibc

/// How many columns a terminal has; `nil` when the file is none, or does not say.
func terminalColumns(_ file: Int32) -> Int? {
    var size = winsize()
    guard ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
}
