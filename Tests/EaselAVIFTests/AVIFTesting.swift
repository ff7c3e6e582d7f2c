import EaselTestPixels

@testable import EaselAVIF

/// Common helpers of this module's tests.
enum AVIFTesting: CoderTesting {
  static let coder = AVIFCoder()
}
