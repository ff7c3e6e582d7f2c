import Easel
import EaselTerminal
import ExampleSupport
import FoundationEssentials

/// A gallery for the terminal that prefetches the next pictures while the user looks at one.
@main
struct TerminalGallery {
  static func main() async throws {
    let gallery = try Gallery()
    let urls = try gallery.offerLandscapes(0..<6)
    let manager = ImageManager(.standard(cacheDirectory: nil))
    let prefetcher = ImagePrefetcher(manager: manager)
    // The prefetched pictures need the same transformer as the requests that follow.
    let context: ImageContext = [.transformer(.resize(width: 24))]

    for (index, url) in urls.enumerated() {
      let batch = prefetcher.prefetch(Array(urls[index...].dropFirst().prefix(2)), context: context)
      let result = try await manager.result(for: ImageRequest(url: url, context: context))
      let origin = result.source == .memory ? "was fetched ahead" : "had to be loaded"
      print("\(url.lastPathComponent) \(origin)")
      let drawing = try TerminalDrawing(result.image.bitmap, in: TerminalWindow(), by: .shades)
      print(String(decoding: drawing.bytes, as: UTF8.self), terminator: "")
      // While the user looks at a picture, the next ones have time to load.
      _ = await batch.outcome
    }
    print("requests to the server: \(gallery.requestCount)")
  }
}
