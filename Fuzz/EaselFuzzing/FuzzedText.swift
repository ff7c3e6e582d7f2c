import EaselCore
import EaselFormats
import EaselText

/// Drives the coder of texts with bytes that may be anything: as a file, and as the markup of one.
public struct FuzzedText: Sendable {
  /// Creates the driver.
  public init() {}

  /// Tries one input.
  public func run(_ input: UnsafeRawBufferPointer) {
    let bytes = [UInt8](input)
    draw(bytes)
    draw(TextDocument(markup: String(decoding: bytes, as: UTF8.self)).bytes)
  }

  private func draw(_ file: [UInt8]) {
    var limits = Limits()
    limits.framePixels = 1 << 18
    limits.decodeTime = .seconds(3600)
    let work = WorkContext(limits: limits)
    let header = try? TextCoder().probe(ImageBytes(file), work: work)
    let image = try? TextCoder().decode(ImageBytes(file), options: DecodeOptions(), work: work)
    precondition(header?.storedSize == image?.size, "The picture has another size than the header says.")
    precondition((image?.size.area ?? 0) <= limits.framePixels, "The picture is too large.")
  }
}

/// Tries one input on the coder of texts, for the C that the fuzzer calls.
@_cdecl("easel_fuzz_text")
public func fuzzText(_ start: UnsafePointer<UInt8>?, _ count: Int) {
  FuzzedText().run(UnsafeRawBufferPointer(start: start, count: count))
}
