import EaselTestPixels

@testable import EaselPNG

/// Common helpers of this module's tests.
enum PNGTesting: CoderTesting {
  static let coder = PNGCoder()
}
