import EaselCore
import Glibc

/// A coder whose library ends the process when a file is damaged, as libraries do that check themselves by `assert`.
package struct AbortingCoder: EncodingCoder {
  private let base: any EncodingCoder

  /// Makes another coder such a one.
  package init(_ base: any EncodingCoder) { self.base = base }

  package var identifier: String { "aborting" }

  package var formats: [ImageFormat] { base.formats }

  package func canDecode(prefix: [UInt8]) -> Bool { base.canDecode(prefix: prefix) }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try orAbort { try base.probe(bytes, work: work) }
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    try orAbort { try base.decode(bytes, options: options, work: work) }
  }

  package func canEncode(_ format: ImageFormat) -> Bool { base.canEncode(format) }

  package func encode(
    _ image: Image, as format: ImageFormat, options: EncodeOptions, work: WorkContext
  ) throws -> ImageBytes { try base.encode(image, as: format, options: options, work: work) }

  private func orAbort<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as ImageError where error.code == .badImageData {
      abort()
    }
  }
}
