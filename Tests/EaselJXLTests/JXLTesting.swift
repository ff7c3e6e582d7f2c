import EaselCore
import EaselJPEG
import EaselTestPixels

@testable import EaselJXL

/// Common helpers of this module's tests.
enum JXLTesting: CoderTesting {
  static let coder = JXLCoder()

  static func jpeg(_ bitmap: Bitmap, progressive: Bool = false) throws -> ImageBytes {
    let options = EncodeOptions(quality: 0.8, progressive: progressive)
    return try JPEGCoder().encode(Image(bitmap), as: .jpeg, options: options, work: WorkContext())
  }

  static let djxl = "/usr/bin/djxl"
}
