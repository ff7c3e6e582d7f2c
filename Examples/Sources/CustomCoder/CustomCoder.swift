import Easel
import EaselQOI
import ExampleSupport
import FoundationEssentials

/// Registers a coder from another package and uses it for loading and for writing.
///
/// Easel reads the format too, so its own coder is taken out first.
@main
struct CustomCoder {
  private static let qoi = ImageFormat(mimeType: "image/qoi")

  static func main() async throws {
    let gallery = try Gallery()
    let landscape = Image(try Bitmap.landscape(5, width: 200, height: 120))
    let coder = EaselQOI.QOICoder()
    let bytes = try coder.encode(landscape, as: qoi, options: EncodeOptions(), work: WorkContext())
    let url = gallery.offer(try bytes.data(), as: "image/qoi", at: "/hills.qoi")

    var configuration = ImageManager.Configuration.standard(cacheDirectory: nil)
    configuration.coder = configuration.coder.removing(identifier: "qoi")
    do {
      _ = try await ImageManager(configuration).image(for: url)
      print("without the coder: a picture, which must not be")
    } catch {
      print("without the coder: \(error.code.name)")
    }
    configuration.coder = configuration.coder.adding(coder)
    let manager = ImageManager(configuration)
    let image = try await manager.image(for: url)
    print("with the coder: \(image.size), the pixels it was made of: \(image.bitmap == landscape.bitmap)")
    var context: ImageContext = [.thumbnailSize(PixelSize(width: 50, height: 50))]
    // This setting belongs to the coder's own package.
    context[.qoiIgnoresAlpha] = true
    let thumbnail = try await manager.image(for: url, context: context)
    print("thumbnail: \(thumbnail.size)")
  }
}
