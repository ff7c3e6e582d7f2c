import Easel
import FoundationEssentials

/// A picture of the demo: its content, its form on the server, and its request.
struct Exhibit {
  let name: String
  let bytes: Data
  let mimeType: String
  var isSealed = false
  let pipeline: TransformerPipeline

  /// Pictures of every format, written by Easel's own coders.
  static func all(sealedWith decryptor: DemoDecryptor) throws -> [Exhibit] {
    let coder = CoderRegistry.standard.adding(DemoCoder())
    func bytes(
      _ number: Int, _ format: ImageFormat, frames: Int = 1, _ change: (inout EncodeOptions) -> Void = { _ in }
    )
      throws -> Data
    {
      var options = EncodeOptions()
      change(&options)
      let frames = try (0..<frames).map { try Bitmap.landscape(number + $0, width: 960, height: 600) }
      let image = Image(frames[0], frames: frames.count > 1 ? Slides(frames: frames) : nil)
      return try coder.encode(image, as: format, options: options, work: WorkContext()).data()
    }
    let card: TransformerPipeline = [.resize(width: 240), .roundCorners(18)]
    return [
      Exhibit(name: "still.png", bytes: try bytes(1, .png), mimeType: "image/png", pipeline: card),
      Exhibit(name: "photo.jpg", bytes: try bytes(2, .jpeg), mimeType: "image/jpeg", pipeline: card),
      Exhibit(
        name: "progressive.jpg", bytes: try bytes(3, .jpeg) { $0.progressive = true }, mimeType: "image/jpeg",
        pipeline: card.then(.sepia(1))),
      Exhibit(name: "lossy.webp", bytes: try bytes(4, .webp), mimeType: "image/webp", pipeline: card),
      Exhibit(
        name: "lossless.webp", bytes: try bytes(5, .webp) { $0.lossless = true }, mimeType: "image/webp",
        pipeline: card.then(.grayscale(1))),
      Exhibit(name: "moving.gif", bytes: try bytes(6, .gif, frames: 4), mimeType: "image/gif", pipeline: card),
      Exhibit(name: "moving.png", bytes: try bytes(7, .png, frames: 3), mimeType: "image/apng", pipeline: card),
      Exhibit(name: "moving.webp", bytes: try bytes(8, .webp, frames: 3), mimeType: "image/webp", pipeline: card),
      Exhibit(
        name: "custom.tiles", bytes: try bytes(9, DemoCoder.format), mimeType: DemoCoder.format.mimeType,
        pipeline: card),
      Exhibit(
        name: "sealed.bin", bytes: decryptor.seal(try bytes(10, .jpeg)), mimeType: "application/octet-stream",
        isSealed: true, pipeline: card.then(.blur(2))),
    ]
  }
}
