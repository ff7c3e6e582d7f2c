import Easel
import ExampleSupport
import FoundationEssentials

/// Composes transformers, reads the keys that name their results, and shows that shared steps run once.
@main
struct ComposedTransformers {
  static func main() async throws {
    let gallery = try Gallery()
    let url = gallery.offer(try Gallery.png(2), as: "image/png", at: "/hills.png")
    // The disk keeps the original, so that one transfer serves all variants.
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("easel-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let manager = ImageManager(.standard(cacheDirectory: directory))

    let card = ImageRequest(url: url, context: [.transformer([.resize(width: 320), .roundCorners(12)])])
    let gray = ImageRequest(
      url: url, context: [.transformer(.resize(width: 320).then(.roundCorners(12)).then(.grayscale(1)))])
    for request in [card, gray] {
      let image = try await manager.image(for: waiting(request))
      let key = manager.cacheKey(for: request)!.readable
      print("\(image.size)  \(key.split(separator: "/").last!)")
    }
    print("requests to the server: \(gallery.requestCount)")

    // A key can be parsed back into the transformers that it names.
    let replayed = try TransformerPipeline(parsing: TransformerPipeline.resize(width: 64).then(.blur(2)).cacheKey)
    print("replayed: \(replayed.cacheKey)")

    // A closure needs a key of its own: equal keys must mean equal pixels.
    let mirror = TransformerPipeline.closure(key: "Mirror()") { image in
      var image = image
      image.bitmap = try image.bitmap.flipped(horizontally: true, vertically: false)
      return image
    }
    let mirrored = ImageRequest(url: url, context: [.transformer(mirror)])
    _ = try await manager.image(for: mirrored)
    print("closure: \(manager.cacheKey(for: mirrored)!.readable.split(separator: "/").last!)")
    await manager.close()
  }

  /// The same request, but its answer waits until the stores are done.
  private static func waiting(_ request: ImageRequest) -> ImageRequest {
    var request = request
    request.options.insert(.waitStore)
    return request
  }
}
