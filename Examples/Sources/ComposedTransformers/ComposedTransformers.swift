import Easel
import ExampleSupport
import FoundationEssentials

/// Composes transformers, reads the keys that name the results, and sees that shared steps run once.
@main
struct ComposedTransformers {
  static func main() async throws {
    let gallery = try Gallery()
    let url = gallery.offer(try Gallery.png(2), as: "image/png", at: "/hills.png")
    let manager = ImageManager(.standard(cacheDirectory: nil))

    let card = ImageRequest(url: url, context: [.transformer([.resize(width: 320), .roundCorners(12)])])
    let gray = ImageRequest(
      url: url, context: [.transformer(.resize(width: 320).then(.roundCorners(12)).then(.grayscale(1)))])
    for request in [card, gray] {
      let image = try await manager.image(for: request)
      let key = manager.cacheKey(for: request)!.readable
      print("\(image.size)  \(key.split(separator: "/").last!)")
    }
    print("requests to the server: \(gallery.requestCount)")

    // A key can be read back into the transformers that it names.
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
  }
}
