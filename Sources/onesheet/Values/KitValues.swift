import Amodb
import PosterImages
import PosterPlaceholders
import PosterServer

extension PosterSize: ArgumentValue {}
extension ThumbnailVariant.Fit: ArgumentValue {}
extension ImageFormat: ArgumentValue {}
extension PlaceholderRequest.Kind: ArgumentValue {}
extension AccessLog.Format: ArgumentValue {}

extension BaseURL: ArgumentValue {
    init(argument: String) throws(ValueError) {
        do throws(BaseURLError) { try self.init(argument) } catch {
            throw ValueError(error.rule.rawValue)
        }
    }
}

extension ListenAddress: ArgumentValue {
    init(argument: String) throws(ValueError) {
        do throws(ServerError) { try self.init(argument) } catch {
            throw ValueError("it must be ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080")
        }
    }
}
