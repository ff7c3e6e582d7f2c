import EaselEverything
import FoundationEssentials

/// The snippet of the page of EaselLinks.
func loadPictureOfPage() async throws -> Image {
  var configuration = ImageManager.Configuration.standard()
  let curl = CurlLoader()
  configuration.loader = LoaderChain([LinkLoader(curl), curl])
  let image = try await ImageManager(configuration).image(for: URL(string: "link:https://example.org/article"))
  return image
}
