import Easel
import EaselPixels

/// Converts the bytes of one picture to the bytes of another.
struct Conversion: Sendable {
  /// A converted picture.
  struct Product {
    let bytes: ImageBytes
    let format: ImageFormat
    let size: PixelSize
    let frames: Int
    /// The quality that was found for a score; nil if none was looked for.
    var found: ScoreLog.Entry?
  }

  var decodeOptions = DecodeOptions()
  var limits = Limits()
  var transformer = TransformerPipeline.identity
  var encodeOptions = EncodeOptions()
  /// The format to write; nil for the input's own format, or PNG if that format cannot be written.
  var format: ImageFormat?
  /// The formats of which the smallest file counts; empty if there is one format.
  var candidates: [ImageFormat] = []
  let coder: CoderRegistry
  /// A manager that neither loads nor caches, because the bytes are in memory.
  private let manager: ImageManager

  init(coder: CoderRegistry) {
    self.coder = coder
    manager = ImageManager(
      ImageManager.Configuration(loader: LoaderChain([]), coder: coder, cache: TieredCache()))
  }

  /// Converts the bytes; blocks the calling thread, which must have been created by the program.
  func run(on bytes: ImageBytes) throws -> Product {
    let log = ScoreLog()
    let context: ImageContext = [
      .decodeOptions(decodeOptions), .limits(limits), .transformer(transformer), .scoreLog(log),
    ]
    let recipe = try recipe(for: bytes)
    let made: (bytes: ImageBytes, format: ImageFormat, size: PixelSize)
    do throws(ImageError) {
      made = try manager.encodedByThisThread(from: bytes, as: recipe, context: context)
    } catch {
      // The caller knows the input and names it.
      var failure = error
      failure.subject = nil
      throw failure
    }
    let header = try coder.probe(made.bytes, work: WorkContext(limits: limits))
    return Product(
      bytes: made.bytes, format: made.format, size: made.size, frames: header.frameCount, found: log.entry(made.format))
  }

  private func recipe(for bytes: ImageBytes) throws -> EncodeRecipe {
    guard candidates.isEmpty else {
      var recipe = EncodeRecipe(firstOf: candidates, options: encodeOptions)
      recipe.takesSmallest = true
      return recipe
    }
    return EncodeRecipe(firstOf: [try format ?? coder.format(of: bytes) ?? .png, .png], options: encodeOptions)
  }
}
