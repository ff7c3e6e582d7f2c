import EaselTestStudio

@testable import EaselDisplay

extension ImagePlayer.FrameBudget {
  /// A budget whose frames are made on the test's own threads.
  static func patient(byteLimit: Int) -> ImagePlayer.FrameBudget {
    ImagePlayer.FrameBudget(byteLimit: byteLimit, workers: .patient())
  }
}
