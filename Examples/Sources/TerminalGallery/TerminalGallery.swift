import Easel
import EaselTerminal
import ExampleSupport
import FoundationEssentials

/// A gallery for the terminal: while one picture is looked at, the next ones are fetched.
@main
struct TerminalGallery {
  static func main() async throws {
    let gallery = try Gallery()
    let urls = try gallery.offerLandscapes(0..<6)
    let manager = ImageManager(.standard(cacheDirectory: nil))
    let prefetcher = ImagePrefetcher(manager: manager)
    // Prefetched with the same transformer, so that what was fetched is what will be asked for.
    let context: ImageContext = [.transformer(.resize(width: 24))]

    for (index, url) in urls.enumerated() {
      let batch = prefetcher.prefetch(Array(urls[index...].dropFirst().prefix(2)), context: context)
      let result = try await manager.result(for: ImageRequest(url: url, context: context))
      let origin = result.source == .memory ? "was fetched ahead" : "had to be loaded"
      print("\(url.lastPathComponent) \(origin)")
      for line in try HalfBlocks.lines(of: result.image.bitmap, usesColor: false) { print(line) }
      // Whoever looks at a picture gives the next ones time.
      _ = await batch.outcome
    }
    print("requests to the server: \(gallery.requestCount)")
  }
}
