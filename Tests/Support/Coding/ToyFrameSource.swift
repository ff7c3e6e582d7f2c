import EaselCore

/// The frames of a moving toy picture, decoded on demand.
struct ToyFrameSource: FrameSource {
  let file: ToyFile
  let options: DecodeOptions
  let count: Int

  var loopCount: Int { file.header.loopCount }

  var canvasSize: PixelSize { options.targetSize(for: file.header) }

  var memoryCost: Int { file.bytes.count }

  func duration(at index: Int) -> Duration { file.duration(of: index) }

  func frame(at index: Int) throws -> Bitmap {
    guard (0..<count).contains(index) else {
      throw ImageError(.badImageData, "Toy: there is no frame \(index): the picture has \(count), counted from 0.")
    }
    return try file.bitmap(
      frame: index, rows: file.header.storedSize.height, options: options, work: WorkContext())
  }
}
