import CEaselPixels
import EaselCore
import EaselPixels

/// Pixels of straight RGBA that are drawn with a palette.
package struct PalettePixels: Sendable {
  /// Colours of red, green, blue and alpha.
  package struct Palette: Sendable {
    package var colors: [UInt8]
    /// The mean squared distance of a pixel from its colour, in steps of brightness.
    package var error: Double

    package init(colors: [UInt8], error: Double) { (self.colors, self.error) = (colors, error) }
  }

  private let bitmap: Bitmap
  private let before: Bitmap?
  private let rect: PixelRect

  /// All pixels of a picture, or a part of them.
  ///
  /// Pixels that equal those of `before` need no colour.
  package init(_ bitmap: Bitmap, before: Bitmap? = nil, in rect: PixelRect? = nil) {
    self.bitmap = bitmap
    self.before = before
    self.rect = rect ?? PixelRect(covering: bitmap.size)
  }

  /// Chooses at most so many colours, and fewer if those leave no more than the wanted error.
  ///
  /// With `skipsClear`, pixels without any alpha need no colour. The palette is empty if no pixel needs one.
  package func palette(
    atMost most: Int, wantedError: Double = 0, skipsClear: Bool = false, work: WorkContext
  ) throws(ImageError) -> Palette {
    var colors = [UInt8](repeating: 0, count: 4 * Int(EASEL_PALETTE_MOST))
    var error = 0.0
    let count = try asked(work) { picture, caller in
      var made: OpaquePointer?
      guard easel_palette_maker_create(&made), let maker = made else { return nil }
      defer { easel_palette_maker_destroy(maker) }
      var picture = picture
      guard easel_palette_maker_add(maker, &picture, skipsClear, caller) else { return nil }
      return easel_palette_choose(maker, most, wantedError, &colors, &error, caller)
    }
    return Palette(colors: Array(colors.prefix(4 * count)), error: error)
  }

  /// Gives each pixel the index of a colour.
  ///
  /// `diffusion` is the share of an error that goes on to neighbouring pixels. Pixels that need no colour get the index
  /// `skipped`.
  package func indices(
    in palette: Palette, skipped: Int? = nil, diffusion: Double, work: WorkContext
  ) throws(ImageError) -> [UInt8] {
    var indices = [UInt8](repeating: 0, count: rect.size.area)
    _ = try asked(work) { picture, caller in
      palette.colors.withUnsafeBufferPointer { colors in
        var (drawing, picture) = (easel_palette_drawing(), picture)
        (drawing.colors, drawing.count, drawing.skipped) = (colors.baseAddress, colors.count / 4, Int32(skipped ?? -1))
        drawing.diffusion = Float(diffusion)
        // Small errors are seen in a picture of few colours alone.
        drawing.tolerance = Float((4 / (1 + palette.error)).squareRoot())
        return easel_palette_draw(&drawing, &picture, &indices, caller) ? 1 : nil
      }
    }
    return indices
  }

  /// How much the square of an error may be at each pixel, from `even` in even parts to `restless` where errors hide.
  package func limits(even: UInt32, restless: UInt32, work: WorkContext) throws(ImageError) -> [UInt32] {
    var limits = [UInt32](repeating: 0, count: rect.size.area)
    _ = try asked(work) { picture, _ in
      var picture = picture
      return easel_palette_limits(&picture, even, restless, &limits) ? 1 : nil
    }
    return limits
  }

  /// The result of `body`; nil means that the work was stopped, or that there is no memory.
  private func asked(
    _ work: WorkContext, _ body: (easel_palette_picture, easel_palette_caller) -> Int?
  ) throws(ImageError) -> Int {
    let check = CancellationCheck(work)
    let result = withPicture { picture in
      check.asked { body(picture, easel_palette_caller(may_go_on: $0, context: $1)) }
    }
    if let failure = check.failure { throw failure }
    guard let result else { throw .exhausted("There is no memory to draw the picture with a palette.") }
    return result
  }

  private func withPicture<Result>(_ body: (easel_palette_picture) -> Result) -> Result {
    bitmap.withUnsafeBytes { bytes in
      var picture = easel_palette_picture()
      picture.pixels = bytes.baseAddress! + rect.y * bitmap.bytesPerRow + rect.x * 4
      picture.stride = bitmap.bytesPerRow
      (picture.width, picture.height) = (rect.width, rect.height)
      guard let before else { return body(picture) }
      return before.withUnsafeBytes {
        picture.before = UnsafeRawPointer($0.baseAddress! + rect.y * before.bytesPerRow + rect.x * 4)
        picture.before_stride = before.bytesPerRow
        return body(picture)
      }
    }
  }
}
