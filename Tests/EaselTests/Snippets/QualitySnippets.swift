import Easel
import EaselTestSupport
import FoundationEssentials
import Testing

/// The snippets of QualityAndLooks.md.
struct QualitySnippets {
  private let manager = ImageManager(.standard(cacheDirectory: nil))
  private let source = URL(string: "data:image/png;base64,\(Self.picture)")!

  /// A grey picture of one pixel.
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="

  @Test func aScore() async throws {
    func encoded(_ url: URL) async throws -> EncodedImage {
      // Documentation: quality and looks.
      let recipe = EncodeRecipe(.webp, .jpeg, options: .target(score: 75))
      let picture = try await manager.encoded(for: url, as: recipe)
      return picture
    }
    let format = try await encoded(source).format
    #expect(format == .webp)
  }

  @Test func moreThanAScore() throws {
    // Documentation: quality and looks.
    var options = EncodeOptions()
    options.settings[.scoreTarget] = ScoreTarget(75, tolerance: 0.5, qualities: 0.4...0.9)
    #expect(options.settings[.scoreTarget]?.description == "75/0.5/0.4-0.9")
  }

  @Test func theSmallest() async throws {
    func encoded(_ url: URL) async throws -> EncodedImage {
      // Documentation: quality and looks.
      var recipe = EncodeRecipe(.avif, .webp, .jpeg, options: .target(score: 75))
      recipe.takesSmallest = true
      let picture = try await manager.encoded(for: url, as: recipe)
      return picture
    }
    let format = try await encoded(source).format
    #expect(format == .webp || format == .jpeg)
  }
}
