import EaselTestPixels

@testable import EaselGIF

/// Common helpers of this module's tests.
enum GIFTesting: CoderTesting {
  static let coder = GIFCoder()
}
