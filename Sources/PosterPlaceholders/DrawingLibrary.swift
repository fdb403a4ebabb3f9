import CPango
import PosterImages

/// Cairo's and Pango's functions, under their own names.
typealias DrawingLibrary = onesheet_drawing

extension DrawingLibrary {
    /// The library, found where the loader looks (ld.so(8)) and opened by the first placeholder;
    /// that one blocks some milliseconds longer. Throws ``ImageError/codec(_:)`` with the
    /// loader's own words where it is missing.
    static func open() throws(ImageError) -> DrawingLibrary {
        switch opened {
        case .ready(let library): return library
        case .failed(let reason): throw .codec("cannot draw: \(reason)")
        }
    }

    private enum State {
        case ready(DrawingLibrary)
        case failed(String)
    }

    private static let opened: State = {
        let table = UnsafeMutablePointer<DrawingLibrary>.allocate(capacity: 1)
        defer { table.deallocate() }
        if let failure = onesheet_drawing_open(table) {
            return .failed(String(cString: failure))
        }
        return .ready(table.pointee)
    }()
}
