import EaselCoding
import EaselCore
import EaselPixels
import EaselSupport

/// The pages of a file as frames that have no duration.
///
/// All frames have the size and the orientation of the first page. A page of another size is reduced if it does not
/// fit, and drawn in the middle of a transparent canvas.
final class TIFFPages: FrameSource {
  let count: Int
  let canvasSize: PixelSize

  private let first: TIFFPage
  private let firstOrientation: ImageMetadata.Orientation
  private let reader: Locked<TIFFReader>
  private let options: DecodeOptions
  private let limits: Limits
  private let context: ImageContext
  let memoryCost: Int

  init(_ picture: TIFFImage, size: PixelSize, options: DecodeOptions, work: WorkContext) {
    count = picture.reader.file.pages.count
    canvasSize = size
    first = picture.page
    firstOrientation = picture.header.orientation
    reader = Locked(picture.reader)
    memoryCost = picture.reader.memoryCost
    self.options = options
    limits = work.limits
    context = work.context
  }

  /// The pages are shown once.
  var loopCount: Int { 1 }

  func duration(at index: Int) -> Duration { .zero }

  func frame(at index: Int) throws -> Bitmap {
    try frame(at: index, work: WorkContext(limits: limits, context: context))
  }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    guard (0..<count).contains(index) else {
      throw ImageError(.badImageData, "TIFF: there is no page \(index): the file has \(count), counted from 0.")
    }
    try work.checkCancellation()
    return try reader.withLock { reader throws(ImageError) in try page(index, of: reader, work: work) }
  }

  private func page(_ index: Int, of reader: TIFFReader, work: WorkContext) throws(ImageError) -> Bitmap {
    let page = reader.file.pages[index]
    let orientation = try reader.file.orientation(of: page)
    if page.size == first.size && orientation == firstOrientation {
      return try TIFFImage(reader, page: index, options: options, work: work).bitmap(work: work)
    }
    let canvas = try uprightCanvas(with: index, standing: orientation, of: reader, work: work)
    return options.appliesOrientation ? canvas : try canvas.oriented(firstOrientation.undone, work: work)
  }

  /// A canvas of the first page's upright size, with another page in the middle.
  private func uprightCanvas(
    with index: Int, standing orientation: ImageMetadata.Orientation, of reader: TIFFReader, work: WorkContext
  ) throws(ImageError) -> Bitmap {
    let page = reader.file.pages[index].size
    let full = firstOrientation.swapsSides ? first.size.transposed : first.size
    let isStored = !options.appliesOrientation && firstOrientation.swapsSides
    let size = isStored ? canvasSize.transposed : canvasSize
    let whole = orientation.swapsSides ? page.transposed : page
    let fitted = whole.thumbnail(in: full)
    // If the first page is reduced, this page is reduced by the same factor.
    var fitting = options
    fitting.appliesOrientation = true
    fitting.thumbnailSize = fitted.scaled(as: full, to: size)
    fitting.preservesAspectRatio = false
    fitting.scaleDownLimitBytes = nil
    fitting.leastSize = nil
    let bitmap = try TIFFImage(reader, page: index, options: fitting, work: work).bitmap(work: work)
    guard bitmap.size != size else { return bitmap }
    let format = PixelFormat(bitmap.format.layout, alpha: .straight)
    var canvas = try Bitmap(size: size, format: format)
    canvas.lay(
      try bitmap.converted(to: format, work: work), x: (size.width - bitmap.width) / 2,
      y: (size.height - bitmap.height) / 2, isBlended: false)
    return canvas
  }
}

extension ImageMetadata.Orientation {
  /// The orientation that undoes the upright turn of this orientation.
  fileprivate var undone: ImageMetadata.Orientation {
    switch self {
    case .left: .right
    case .right: .left
    default: self
    }
  }
}
