import EaselCore

extension SandboxedCoder: EnclosingCoder {
  /// The coder inside.
  ///
  /// It reads in this process the headers of files that it has written in this process.
  package var enclosed: any ImageCoder { base }
}
