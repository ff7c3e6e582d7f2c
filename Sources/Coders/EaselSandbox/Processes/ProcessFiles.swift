import EaselCore
import EaselSupport

/// The files between the host and a child: one for the picture's bytes, one for pixels.
///
/// The files are reused as soon as the child is dead, except when the picture's bytes come from a file of their own.
struct ProcessFiles: Sendable {
  let output: MemoryFile
  private let bytes: ImageBytes
  /// The file with a copy of the bytes; nil if they are in a file of their own.
  private let input: MemoryFile?
  private let inputs: MemoryFilePool
  private let outputs: MemoryFilePool

  /// Gets the files, and copies the bytes if they are in no file.
  init(for bytes: ImageBytes, inputs: MemoryFilePool, outputs: MemoryFilePool) throws {
    (self.bytes, self.inputs, self.outputs) = (bytes, inputs, outputs)
    output = try outputs.take()
    try output.clear()
    if bytes.isInFile {
      input = nil
    } else {
      let input = try inputs.take()
      try bytes.withUnsafeBytes { try input.replaceContent(by: $0) }
      self.input = input
    }
  }

  /// Gets the files for bytes that are still arriving; nil if a file cannot be read and written at the same time.
  init?(arriving bytes: ImageBytes, inputs: MemoryFilePool, outputs: MemoryFilePool) throws {
    (self.bytes, self.inputs, self.outputs) = (bytes, inputs, outputs)
    output = try outputs.take()
    try output.clear()
    let input = try inputs.take()
    input.shorten(to: 0)
    self.input = input
    _ = try input.readOnly()
    guard !input.isSealed else { return nil }
  }

  /// Adds the bytes that have arrived.
  func append(_ bytes: ImageBytes, from start: Int) throws { try input?.append(bytes, from: start) }

  /// Puts the bytes of the next picture into the files of a child that goes on; nil if its input is no file of ours.
  init?(for bytes: ImageBytes, after used: ProcessFiles) throws {
    guard let input = used.input, !input.isSealed else { return nil }
    (self.bytes, self.input, output) = (bytes, input, used.output)
    (inputs, outputs) = (used.inputs, used.outputs)
    try output.clear()
    try bytes.withUnsafeBytes { try input.replaceContent(by: $0) }
  }

  /// Calls `body` with a descriptor that only lets a child read the bytes, and with that for pixels.
  func withDescriptors<Result>(_ body: (_ input: CInt, _ output: CInt) throws -> Result) throws -> Result {
    if let input { return try body(input.readOnly().number, output.descriptor.number) }
    guard let result = try bytes.withFileDescriptor({ try body($0, output.descriptor.number) }) else {
      throw ImageError.sandboxLacks("the file of the picture")
    }
    return result
  }

  /// Keeps the files for other pictures; `need` is the number of bytes that the pixels of this picture needed.
  func giveBack(after end: ChildEnd, need: Int) {
    outputs.put(output, after: end, need: need)
    if let input, !input.isSealed { inputs.put(input, after: end, need: input.byteCount) }
  }
}
