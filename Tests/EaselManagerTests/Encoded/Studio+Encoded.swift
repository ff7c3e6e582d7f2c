import EaselTestStudio
import EaselTestSupport
import FoundationEssentials
import Testing

@testable import EaselCore
@testable import EaselManager

extension EncodeRecipe {
  /// The toy format, whose files are pictures again.
  static let toy = EncodeRecipe(ToyImage.format)
  /// The format that is only written.
  static let print = EncodeRecipe(ToyImage.writtenFormat)
}

extension Studio {
  /// Loads encoded bytes.
  func encoded(
    _ url: URL, as recipe: EncodeRecipe = .print, _ options: ImageOptions = [], _ context: ImageContext = []
  ) async throws -> EncodedImage {
    try await manager.encoded(for: ImageRequest(url: url, options: options, context: context), as: recipe)
  }

  /// Loads encoded bytes and waits until they are stored everywhere.
  @discardableResult
  func warmEncoded(
    _ url: URL, as recipe: EncodeRecipe = .print, _ options: ImageOptions = [], _ context: ImageContext = []
  ) async throws -> EncodedImage {
    let result = try await encoded(url, as: recipe, options, context)
    await settle()
    return result
  }

  /// The error of a load of encoded bytes, which must fail.
  func encodedFailure(
    _ url: URL?, as recipe: EncodeRecipe = .print, _ options: ImageOptions = [], _ context: ImageContext = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> ImageError? {
    await #expect(throws: ImageError.self, sourceLocation: sourceLocation) {
      try await manager.encoded(for: ImageRequest(url: url, options: options, context: context), as: recipe)
    }
  }

  /// The number of runs in which an event of this name happened.
  func runs(with name: String) -> Int {
    Set(observer.events.filter { $0.kind.name == name }.map { $0.run ?? 0 }).count
  }
}

extension EncodedImage {
  /// The pixels in the bytes.
  func bitmap() throws -> Bitmap {
    try ToyCoder().decode(ToyImage.toy(of: bytes), options: DecodeOptions(), work: WorkContext()).bitmap
  }
}
