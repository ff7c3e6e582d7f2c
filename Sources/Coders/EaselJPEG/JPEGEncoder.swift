import CEaselJPEG
import EaselCoding
import EaselCore
import EaselPixels
import FoundationEssentials

/// Writes a picture with the given options.
///
/// A file size limit first lowers the quality, then the size.
struct JPEGEncoder {
  private let image: Image
  private let options: EncodeOptions
  private let work: WorkContext
  private let segments: JPEGSegments
  private let map: JPEGMapWriter?

  /// The longest side that libjpeg-turbo can write.
  private static let mostSide = 65_500

  init(_ image: Image, options: EncodeOptions, work: WorkContext) {
    self.image = image
    self.options = options
    self.work = work
    segments = JPEGSegments(image.metadata, options)
    map = JPEGMapWriter(image, options: options, work: work)
  }

  func encode() throws -> Data {
    let size = image.size.thumbnail(in: options.maxPixelSize ?? PixelSize(width: 0, height: 0))
    try work.limits.check(frame: size, claimedBy: "JPEG: the picture to be written")
    guard max(size.width, size.height) <= Self.mostSide else {
      throw ImageError(
        .encodeFailed, "JPEG: a picture of \(size) has more than \(Self.mostSide) pixels on a side. Make it smaller.",
        cause: SideTooLong(of: .jpeg, pixels: Self.mostSide))
    }
    let quality = Self.wholePercent(options.quality)
    let samples = try makeSamples(size)
    let data = try write(samples, quality, mapQuality: nil, isOptimized: false)
    guard let limit = options.maxFileBytes, data.count > limit else { return data }
    var latest = samples
    return try FileSizeSearch(limit: limit, name: "JPEG").byQuality(from: size, quality: quality) { size, quality in
      if latest.size != size { latest = try makeSamples(size) }
      return try write(latest, quality, mapQuality: quality, isOptimized: true)
    }
  }

  /// The quality that the library uses: whole per cent, at least one.
  static func wholePercent(_ quality: Double) -> Double {
    max(1, (FileSizeSearch.sensible(quality) * 100).rounded()) / 100
  }

  private func makeSamples(_ size: PixelSize) throws(ImageError) -> JPEGWrittenSamples {
    try JPEGWrittenSamples(
      image.bitmap, size: size, background: options.backgroundColor,
      mayBeGray: segments.profile == nil || segments.profileFits(gray: true), work: work)
  }

  private func write(
    _ samples: JPEGWrittenSamples, _ quality: Double, mapQuality: Double?, isOptimized: Bool
  ) throws(ImageError) -> Data {
    let map = try map?.file(for: samples.size, quality: mapQuality)
    let effort = JPEGEffort(options).forPicture(of: samples.size)
    let (columns, rows) = chroma(of: samples, effort).factors
    let layout = easel_jpeg_layout(
      width: UInt32(samples.size.width), height: UInt32(samples.size.height), is_gray: samples.isGray,
      quality: Int32((quality * 100).rounded()), columns_per_color: columns, rows_per_color: rows,
      is_progressive: options.progressive || effort == .smallest, is_optimized: isOptimized,
      is_thrifty: effort != .fast, is_smallest: effort == .smallest,
      has_restarts: options.settings[.jpegRestarts] ?? false,
      horizontal_density: UInt16(clampingDensity: segments.density?.horizontal),
      vertical_density: UInt16(clampingDensity: segments.density?.vertical))
    let contents = try segments.contents(
      withProfile: segments.profileFits(gray: samples.isGray), mapBytes: map?.count)
    let picture = try JPEGWriter(layout).write(samples, contents, work: work)
    return map.map { JPEGMapWriter.joined(picture, $0) } ?? picture
  }

  /// The resolution of colours that was asked for, or else the one that suits the picture.
  private func chroma(of samples: JPEGWrittenSamples, _ effort: JPEGEffort) -> EncodeOptions.ChromaSubsampling {
    if let asked = options.asked.chromaSubsampling { return asked }
    return effort != .fast && samples.hasFineColors ? .full : options.chromaSubsampling
  }
}

extension EncodeOptions.ChromaSubsampling {
  fileprivate var factors: (columns: Int32, rows: Int32) {
    switch self {
    case .full: (1, 1)
    case .halfWidth: (2, 1)
    case .quarter: (2, 2)
    }
  }
}

extension UInt16 {
  fileprivate init(clampingDensity density: Double?) {
    guard let density, density.rounded() >= 1 else {
      self = 0
      return
    }
    self = density < 65_535 ? UInt16(density.rounded()) : .max
  }
}
