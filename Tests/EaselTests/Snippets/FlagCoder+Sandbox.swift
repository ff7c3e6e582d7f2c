import Easel

// Documentation: writing a coder.
extension FlagCoder: SandboxGuest {
  func prepareForSandbox(threadsEnd: @convention(c) () -> Bool) throws -> ImageBytes? {
    ImageBytes(Array("FLAG".utf8) + [8, 6, 200, 10, 90])
  }
}
