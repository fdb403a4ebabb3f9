import Amodb
import Testing

@testable import PosterBase
@testable import PosterCache
@testable import PosterImages
@testable import PosterKit

@Suite struct ThumbnailVariantTests {
    @Test(
        "a spelling reads back as itself",
        arguments: [
            "120x180-cover-q82.jpeg", "1x1-contain-q1.jpeg", "2000x3000-cover-q100.jpeg",
            "120x-contain-q82.jpeg", "x180-contain-q82.jpeg", "120x180-cover-q82.png",
            "120x180-cover-q82-w185.jpeg", "120x180-cover-q70.webp",
        ])
    func readsBack(text: String) {
        #expect(ThumbnailVariant(text)?.description == text)
    }

    @Test(
        "a text that is not the canonical spelling is no variant",
        arguments: [
            "", "120x180", "120x180-cover-q82", "120x180-cover-q82.gif", "0120x180-cover-q82.jpeg",
            "+120x180-cover-q82.jpeg", "120x180-fill-q82.jpeg", "120x180-cover-q082.jpeg",
            "120x180-cover-q0.jpeg", "2001x1-cover-q82.jpeg", "x-contain-q82.jpeg",
            "120x-cover-q82.jpeg", "120x180-cover-q70.png", "120x180-cover-q82-w186.jpeg",
            "120x180-cover-q82-.jpeg", "120x180-cover-q82.jpeg.jpeg", "../x-cover-q82.jpeg",
        ])
    func refused(text: String) { #expect(ThumbnailVariant(text) == nil) }

    @Test func `what means the same is the same value`() throws {
        #expect(
            try ThumbnailVariant(width: 120, height: nil, fit: .cover)
                == ThumbnailVariant(width: 120, height: nil, fit: .contain))
        #expect(
            try ThumbnailVariant(width: 9, height: 9, quality: 10, format: .png)
                == ThumbnailVariant(width: 9, height: 9, quality: 90, format: .png))
    }

    @Test func `what is out of range is refused with its value`() {
        #expect(throws: ThumbnailVariantError.width(0)) {
            try ThumbnailVariant(width: 0, height: 9)
        }
        #expect(throws: ThumbnailVariantError.height(3001)) {
            try ThumbnailVariant(width: 9, height: 3001)
        }
        #expect(throws: ThumbnailVariantError.quality(101)) {
            try ThumbnailVariant(width: 9, height: 9, quality: 101)
        }
        #expect(throws: ThumbnailVariantError.noSide) {
            try ThumbnailVariant(width: nil, height: nil)
        }
    }
}

@Suite struct EntryKeyTests {
    @Test(
        "a place in the cache reads back as itself",
        arguments: [
            "posters/w342/Ab/AbCdEf.jpg", "posters/w185/a/a.png",
            "thumbs/120x180-cover-q82.jpeg/Ab/AbCdEf.jpg", "thumbs/60x90-cover-q9.webp/a/a.png",
        ])
    func readsBack(text: String) { #expect(EntryKey(text)?.description == text) }

    @Test(
        "what is not the cache's own is no key",
        arguments: [
            "posters/w342/AbCdEf.jpg", "posters/w342/Xx/AbCdEf.jpg", "posters/w999/Ab/AbCdEf.jpg",
            "posters/w342/Ab/AbCdEf.jpg~", "posters/w342/Ab/.AbCdEf.jpg", "lists/w342/Ab/Ab.jpg",
            "thumbs/120x180/Ab/AbCdEf.jpg", "posters/w342/../AbCdEf.jpg", "/posters/w342/Ab/Ab.jpg",
        ])
    func foreign(text: String) { #expect(EntryKey(text) == nil) }
}

@Suite struct FreshnessTests {
    private let day = Duration.seconds(86_400)
    private let fetched = Timestamp(seconds: 1_800_000_000)

    private func entry(validated: Timestamp) -> CacheEntry {
        CacheEntry(
            picture: Picture(bytes: [1], format: .jpeg, made: fetched), validated: validated)
    }

    @Test func `an entry is fresh for the rest of its 30 days, and not a second longer`() {
        let entry = entry(validated: fetched)
        func freshness(after time: Duration) -> CacheEntry.Freshness {
            entry.freshness(now: fetched + time, maxAge: day * 30)
        }
        #expect(freshness(after: .zero) == .fresh(secondsLeft: 2_592_000))
        #expect(freshness(after: day * 29) == .fresh(secondsLeft: 86_400))
        #expect(freshness(after: day * 30 - .seconds(1)) == .fresh(secondsLeft: 1))
        #expect(freshness(after: day * 30) == .expired)
        #expect(freshness(after: day * 31) == .expired)
    }

    @Test func `an mtime far in the future is expired, and one a little ahead is not`() {
        let tolerated = entry(validated: fetched + .seconds(299))
        let wrong = entry(validated: fetched + .seconds(301))
        #expect(tolerated.freshness(now: fetched, maxAge: day) != .expired)
        #expect(wrong.freshness(now: fetched, maxAge: day) == .expired)
        #expect(wrong.ageSeconds(now: fetched) == 0)
    }
}
