import PosterKit
import Testing

@testable import PosterServer

@Suite struct AcceptFieldTests {
    @Test(
        "WebP is for who names it and likes it no less than JPEG",
        arguments: [
            "image/webp", "IMAGE/WebP", " image/webp ", "image/webp;q=0.001", "image/webp;q=1.000",
            "image/webp; q=0.9 , image/jpeg;q=0.9", "image/webp;level=1", "a/b, image/webp",
            "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
            "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
            "image/webp,image/avif,image/jxl,video/*;q=0.8,image/*;q=0.8,*/*;q=0.5",
            "x/y;z=\"a,b;\\\"q=0\",image/webp", ",,image/webp;q=0.5", "image/webp;Q=0.5",
            "image/webp;q=0.7, image/jpeg;q=0.5, */*", "image/webp, image/webp;q=0",
        ])
    func webp(accept: String) {
        #expect(AcceptField(accept).preferredFormat == .webp)
    }

    @Test(
        "JPEG is for everybody else",
        arguments: [
            nil, "", "*/*", "image/*", "image/*, */*;q=0.1", "image/jpeg", "image/png",
            "image/webp;q=0", "image/webp;q=0.0", "image/webp;q=0.000, */*", "image/webp; q=0",
            "image/webp;q=0.5, image/jpeg", "image/webp;q=0.5, image/*", "image/webp;q=0.5, */*",
            "image/webp;q=0.4, image/jpeg;q=0.5, */*;q=0.1", "image/webpx", "image/webp2",
            "ximage/webp", "text/html;x=\"image/webp\"", "x/y;z=\"a,image/webp\"",
            "image/webp;q=", "image/webp;q=2", "image/webp;q=-1", "image/webp;q=1.001",
            "image/webp;q=0.0001", "image/webp;q=nan", "image/webp;q=.5", "image/webp;q=1e0",
            "image/webp;q=+1", "image/webp;q=\"1\"", "image", "webp", "q=1", ";", "/",
            "image/webp;q=0, image/webp",
        ])
    func jpeg(accept: String?) {
        #expect(AcceptField(accept).preferredFormat == .jpeg)
    }
}
