import EaselCore
import EaselManager

extension ImageService {
  /// The form of a picture, or another one if the picture is known to be too large for it.
  func fitting(_ recipe: EncodeRecipe, _ request: ImageRequest, _ wanted: WantedImage) -> EncodeRecipe {
    guard !oversized.isEmpty, let key = manager.cacheKey(for: request) else { return recipe }
    let formats = oversized[key]
    return formats.isEmpty ? recipe : wanted.recipe(in: recipe, without: formats) ?? recipe
  }

  /// A picture in the first format that can hold it, of those that the client accepts.
  func encodedFitting(
    _ request: ImageRequest, _ recipe: EncodeRecipe, of wanted: WantedImage
  ) async throws(ImageError) -> EncodedImage {
    var fitting = fitting(recipe, request, wanted)
    while true {
      do throws(ImageError) {
        return try await encoded(request, fitting, of: wanted)
      } catch {
        guard let side = error.longestSide, let key = manager.cacheKey(for: request),
          oversized.insert(side.format, for: key), let next = wanted.recipe(in: recipe, without: oversized[key])
        else { throw error }
        fitting = next
      }
    }
  }
}
