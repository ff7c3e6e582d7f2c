import EaselCore

/// The files between the host and a child: one for the picture's bytes, one for pixels.
///
/// The files are reused as soon as the child is dead, except when the picture's bytes come from a file of their own.
struct ProcessFiles: Sendable {
  let output: MemoryFile
  private let input: MemoryFile?
  private let inputs: MemoryFilePool
  private let outputs: MemoryFilePool

  /// Gets the files and calls `start` with a descriptor that only lets a child read the bytes.
  ///
  /// The child must not look at its files before this function returns, because they are filled while the child starts.
  init(
    for bytes: ImageBytes, inputs: MemoryFilePool, outputs: MemoryFilePool,
    start: (_ input: CInt, _ output: CInt) throws -> Void
  ) throws {
    self.inputs = inputs
    self.outputs = outputs
    let output = try outputs.take()
    self.output = output
    if try bytes.withFileDescriptor({ try start($0, output.descriptor.number) }) != nil {
      input = nil
    } else {
      let input = try inputs.take()
      let fill = { try bytes.withUnsafeBytes { try input.replaceContent(by: $0) } }
      if let readOnly = input.readOnly() {
        try start(readOnly.number, output.descriptor.number)
        try fill()
        self.input = input
      } else {
        try fill()
        try input.seal()
        try start(input.descriptor.number, output.descriptor.number)
        self.input = nil
      }
    }
    try output.clear()
  }

  /// Keeps the files for other pictures; `need` is the number of bytes that the pixels of this picture needed.
  func giveBack(after child: ForkServer.Child, need: Int) {
    outputs.put(output, after: child, need: need)
    if let input { inputs.put(input, after: child, need: input.byteCount) }
  }
}
