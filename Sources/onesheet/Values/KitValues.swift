import Amodb
import PosterKit

extension PosterSize: ArgumentValue {}
extension ThumbnailVariant.Fit: ArgumentValue {}
extension ImageFormat: ArgumentValue {}
extension PlaceholderRequest.Kind: ArgumentValue {}

extension BaseURL: ArgumentValue {
    init(argument: String) throws(ValueError) {
        do throws(BaseURLError) { try self.init(argument) } catch {
            throw ValueError(error.rule.rawValue)
        }
    }
}
