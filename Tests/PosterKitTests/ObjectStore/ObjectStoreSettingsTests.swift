import Amodb
import Testing

@testable import PosterBase
@testable import PosterKit
@testable import PosterObjectStore

@Suite struct ObjectStoreSettingsTests {
    @Test(
        "a location is a bucket and perhaps a prefix",
        arguments: [
            ("s3://films", "films", ""), ("s3://films/", "films", ""),
            ("s3://films/posters", "films", "posters"),
            ("s3://films/a/b.c_d-e/", "films", "a/b.c_d-e"),
            ("s3://My_films.1/x", "My_films.1", "x"),
        ])
    func location(text: String, bucket: String, prefix: String) throws {
        let location = try ObjectStoreLocation(text)
        #expect(location.bucket == bucket)
        #expect(location.prefix == prefix)
        #expect(location.key("w342/a.jpg") == (prefix.isEmpty ? "" : "\(prefix)/") + "w342/a.jpg")
        #expect(try ObjectStoreLocation(location.description) == location)
    }

    @Test(
        "anything else is refused by its rule",
        arguments: [
            ("films", .scheme), ("http://films/x", .scheme), ("S3://films", .scheme),
            ("s3://", .bucket), ("s3:///x", .bucket), ("s3://ab", .bucket),
            ("s3://-films", .bucket), ("s3://films.", .bucket), ("s3://fi lms", .bucket),
            ("s3://fïlms", .bucket), ("s3://user@films", .bucket),
            ("s3://films//x", .prefix), ("s3://films/x//y", .prefix), ("s3://films/../x", .prefix),
            ("s3://films/x y", .prefix), ("s3://films/x%20", .prefix), ("s3://films/x?y", .prefix),
        ] as [(String, ObjectStoreLocationError.Rule)])
    func refused(text: String, rule: ObjectStoreLocationError.Rule) {
        #expect(throws: ObjectStoreLocationError(value: text, rule: rule)) {
            try ObjectStoreLocation(text)
        }
    }

    @Test func `without an endpoint it is AWS' own in the region`() throws {
        let settings = try ObjectStoreSettings(
            ObjectStoreLocation("s3://films"),
            ObjectStoreCredentials(accessKey: "a", secretKey: Secret("b")), region: "eu-west-1")
        #expect(settings.endpoint.description == "https://s3.eu-west-1.amazonaws.com")
    }

    @Test(
        "credentials are read from a file as AWS' tools write it",
        arguments: [
            "[default]\naws_access_key_id = AK\naws_secret_access_key = SK\n",
            "aws_access_key_id=AK\naws_secret_access_key=SK",
            "# ours\n[other]\naws_access_key_id=X\n[ default ]\r\nAWS_ACCESS_KEY_ID=AK\r\n"
                + "aws_secret_access_key\t=\tSK\r\naws_session_token=\r\nregion = x\n",
        ])
    func file(text: String) throws {
        let credentials = try ObjectStoreCredentials(file: text)
        #expect(credentials.accessKey == "AK")
        #expect(credentials.secretKey.revealed == "SK")
        #expect(credentials.sessionToken == nil)
    }

    @Test(
        "what is missing is said, and nothing of what is there",
        arguments: [
            ("", .noAccessKey), ("[other]\naws_access_key_id=X", .noAccessKey),
            ("aws_access_key_id=AK", .noSecretKey),
            ("aws_access_key_id=A K\naws_secret_access_key=SK", .characters),
            ("aws_access_key_id=AK\naws_secret_access_key=S\u{7}K", .characters),
        ] as [(String, ObjectStoreCredentialsError)])
    func incomplete(text: String, error: ObjectStoreCredentialsError) {
        #expect(throws: error) { try ObjectStoreCredentials(file: text) }
        #expect(!error.description.contains("SK"))
    }

    @Test func `a secret key is not printed`() {
        let credentials = ObjectStoreCredentials(
            accessKey: "AK", secretKey: Secret("wJalr"), sessionToken: Secret("token"))
        var text = ""
        dump(credentials, to: &text)
        #expect(!"\(credentials)\(text)".contains("wJalr"))
        #expect(!"\(credentials)\(text)".contains("token:"))
    }
}
