import CEaselPNG
import EaselColor
import EaselCore
import EaselPixels
import FoundationEssentials

/// What is done to pixels after they were read: made smaller if they are not yet, converted to sRGB, set upright.
///
/// Only an ICC profile is followed. Without one, whatever gAMA, cHRM or sRGB say, the pixels are taken for sRGB.
struct PNGFinish: Sendable {
  /// The profile that the finished pixels still follow.
  let keptProfile: Data?
  /// The orientation that the finished pixels still have.
  let keptOrientation: ImageOrientation
  /// The size before the picture is set upright.
  let storedTarget: PixelSize

  /// The size that the finished picture has.
  var finalSize: PixelSize { orientation.swapsSides ? storedTarget.transposed : storedTarget }

  private let profile: Data?
  private let orientation: ImageOrientation
  private let isGray: Bool

  init(_ file: PNGFile, profile: Data?, options: DecodeOptions) {
    let target = options.targetSize(for: file.imageHeader(profileBytes: 0))
    orientation = options.appliesOrientation ? file.orientation : .up
    keptOrientation = options.appliesOrientation ? .up : file.orientation
    storedTarget = orientation.swapsSides ? target.transposed : target
    self.profile = options.convertsColor ? profile : nil
    keptProfile = options.convertsColor ? nil : profile
    isGray = file.header.isGray
  }

  func callAsFunction(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    var result = bitmap
    if result.size != storedTarget { result = try result.resized(to: storedTarget, work: work) }
    result = try converted(result, work: work)
    return try result.oriented(orientation, work: work)
  }

  /// A profile that cannot be used leaves the colours as they are.
  private func converted(_ bitmap: Bitmap, work: WorkContext) throws(ImageError) -> Bitmap {
    guard let profile else { return bitmap }
    do throws(ImageError) {
      guard isGray else { return try bitmap.converted(from: .icc(profile), work: work) }
      return try mappingGray(of: bitmap, profile)
    } catch {
      guard error.code == .badImageData else { throw error }
      return bitmap
    }
  }

  /// Grey became red, green and blue when it was read, so its profile is applied to each level once.
  private func mappingGray(of bitmap: Bitmap, _ profile: Data) throws(ImageError) -> Bitmap {
    let isWide = bitmap.format.layout == .rgba16
    let transform = try ColorTransform(
      from: .icc(profile), layout: isWide ? .gray16 : .gray8, layout: isWide ? .rgb16 : .rgb8)
    let table = isWide ? Self.table(transform, UInt16.self) : Self.table(transform, UInt8.self)
    var result = bitmap
    let (width, height, bytesPerRow) = (result.width, result.height, result.bytesPerRow)
    result.withUnsafeMutableBytes { pixels in
      table.withUnsafeBytes { table in
        easel_png_map_gray(isWide, table.baseAddress, pixels.baseAddress, bytesPerRow, width, height)
      }
    }
    return result
  }

  private static func table<Level: FixedWidthInteger & UnsignedInteger>(
    _ transform: ColorTransform, _: Level.Type
  ) -> [UInt8] {
    let levels = [Level](Level.min...Level.max)
    var table = [UInt8](repeating: 0, count: levels.count * 3 * MemoryLayout<Level>.size)
    levels.withUnsafeBytes { levels in table.withUnsafeMutableBytes { transform.convert(levels, into: $0) } }
    return table
  }
}
