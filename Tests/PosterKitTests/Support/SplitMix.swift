/// Numbers that look random and are the same for the same seed (Steele, Lea and Flood, "Fast
/// Splittable Pseudorandom Number Generators", OOPSLA 2014).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// From 0 up to `limit`.
    mutating func next(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &self) }

    /// A 64-bit number that is near an end of a range as often as not.
    mutating func extreme() -> Int64 {
        let small = Int64(next(below: 3)) - 1
        switch next(below: 6) {
        case 0: return Int64.max - Int64(next(below: 3))
        case 1: return Int64.min + Int64(next(below: 3))
        case 2: return small
        case 3: return (1 << Int64(next(below: 63))) + small
        case 4: return -(1 << Int64(next(below: 63))) + small
        default: return Int64(truncatingIfNeeded: next())
        }
    }

    /// What a header field may hold: numbers of any length, dates of any year, and neither.
    mutating func fieldValue() -> String {
        switch next(below: 5) {
        case 0: return String(extreme())
        case 1: return String(repeating: "9", count: next(below: 60))
        case 2: return "Fri, 31 Dec \(next(below: 20_000)) 23:59:\(next(below: 70)) GMT"
        case 3: return "Friday, 31-Dec-\(next(below: 120)) 23:59:59 GMT"
        default:
            let bytes = (0..<next(below: 20)).map { _ in UInt8(0x20 + next(below: 0x5F)) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
