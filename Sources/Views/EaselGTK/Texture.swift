internal import CEaselGTK
import EaselCore
import EaselPixels

/// Pixels as GTK draws them.
@GTKActor
final class Texture {
  private let object: GTKObject

  /// True if this GTK draws pictures in PQ and HLG; others are tone-mapped when they are decoded.
  nonisolated static var drawsHighRange: Bool { easel_gtk_has_colors() }

  /// Lends the pixels of a bitmap to GTK; only grey ones are copied, because GTK 4.8 has no format for them.
  ///
  /// `color` says what numbers of a high range mean; all others are in sRGB. `isForCairo` is true if the processor draws them.
  init?(_ bitmap: Bitmap, color: ColorDescription? = nil, isForCairo: Bool = false) {
    var bitmap = bitmap
    if bitmap.format.layout == .gray8 {
      guard let colors = try? bitmap.converted(to: .opaqueRGBA8) else { return nil }
      bitmap = colors
    }
    guard let width = Int32(exactly: bitmap.width), let height = Int32(exactly: bitmap.height) else { return nil }
    // The box keeps the pixels as long as GTK has the texture. No one changes them there: a bitmap that is changed is
    // copied first if another shares its pixels.
    let box = Unmanaged.passRetained(Box(bitmap))
    let format = Self.format(of: bitmap, isForCairo)
    let stride = bitmap.bytesPerRow
    let colors = Self.colors(color)
    let texture = bitmap.withUnsafeBytes { bytes in
      easel_gtk_texture(
        bytes.baseAddress, bytes.count, width, height, stride, format, colors,
        { Unmanaged<Box>.fromOpaque($0!).release() }, box.toOpaque())
    }
    object = GTKObject(texture!)
  }

  var pointer: OpaquePointer { object.pointer }

  private final class Box {
    let bitmap: Bitmap
    init(_ bitmap: Bitmap) { self.bitmap = bitmap }
  }

  private static func colors(_ color: ColorDescription?) -> easel_texture_colors {
    guard let coding = color?.coding, coding.isHighRange else { return easel_texture_colors() }
    return easel_texture_colors(
      primaries: UInt32(clamping: coding.primaries), transfer: UInt32(clamping: coding.transfer))
  }

  private static func format(of bitmap: Bitmap, _ isForCairo: Bool) -> easel_texture_format {
    // Opaque pixels are the same in both forms. A graphics card takes multiplied ones as they are. For cairo, GTK 4.8
    // converts all pixels each time it draws them: straight ones by integers, multiplied ones by way of floating point.
    let isStraight = bitmap.format.alpha == .straight || isForCairo && bitmap.format.alpha == .opaque
    return switch bitmap.format.layout {
    case .gray8, .rgba8: isStraight ? EASEL_RGBA8 : EASEL_RGBA8_PREMULTIPLIED
    case .bgra8: isStraight ? EASEL_BGRA8 : EASEL_BGRA8_PREMULTIPLIED
    case .rgba16: isStraight ? EASEL_RGBA16 : EASEL_RGBA16_PREMULTIPLIED
    }
  }
}
