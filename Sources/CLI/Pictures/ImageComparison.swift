import Easel
import EaselPixels

/// The comparison of two pictures, frame by frame if they are animations.
struct ImageComparison {
  /// The measures of two pictures of the same size.
  struct Figures {
    var peak = 255
    /// The largest difference of a component in any frame.
    var largest = 0
    /// The largest number of differing pixels in a frame.
    var pixels = 0
    /// The signal-to-noise ratio of all frames together, in decibels.
    var signalToNoise = Double.infinity
    /// The similarity (SSIM) of the least similar frame.
    var similarity = 1.0
    /// The SSIMULACRA 2 score of the frame with the lowest score.
    var visualScore = 100.0
    /// The number of frames that were compared.
    var frames = 0
    /// The frame with the lowest signal-to-noise ratio.
    var worstFrame = 0
  }

  let first: Image
  let second: Image
  /// The measures; nil if the sizes differ.
  let figures: Figures?

  init(_ first: Image, _ second: Image) throws {
    self.first = first
    self.second = second
    guard first.size == second.size else {
      figures = nil
      return
    }
    var figures = Figures(frames: min(Self.count(first), Self.count(second)))
    var squares = 0.0
    var components = 0
    var worst = Double.infinity
    for index in 0..<figures.frames {
      let (original, copy) = (try Self.frame(index, of: first), try Self.frame(index, of: second))
      let (left, right) = try Bitmap.comparable(original, copy)
      let difference = left.difference(from: right)
      figures.peak = difference.peak
      figures.largest = max(figures.largest, difference.largest)
      figures.pixels = max(figures.pixels, difference.pixels)
      if difference.largest > 0 {
        figures.similarity = min(figures.similarity, try left.similarity(to: right))
        figures.visualScore = min(figures.visualScore, try original.visualScore(of: copy))
      }
      if difference.signalToNoise < worst { (worst, figures.worstFrame) = (difference.signalToNoise, index) }
      squares += difference.squares
      components += difference.components
    }
    figures.signalToNoise = BitmapDifference.decibels(squares, over: components, peak: figures.peak)
    self.figures = figures
  }

  /// True if both pictures have the same number of frames and the same durations.
  var isSameMotion: Bool {
    let count = Self.count(first)
    guard count == Self.count(second) else { return false }
    guard count > 1, let left = first.frames, let right = second.frames else { return true }
    return left.loopCount == right.loopCount
      && (0..<count).allSatisfy { left.duration(at: $0) == right.duration(at: $0) }
  }

  /// Draws the differences of the worst frame; nil if the sizes differ.
  func drawing() throws -> Bitmap? {
    guard let figures else { return nil }
    let (left, right) = try Bitmap.comparable(
      Self.frame(figures.worstFrame, of: first), Self.frame(figures.worstFrame, of: second))
    return try left.drawnDifference(from: right)
  }

  static func count(_ image: Image) -> Int { max(1, image.frames?.count ?? 1) }

  private static func frame(_ index: Int, of image: Image) throws -> Bitmap {
    count(image) > 1 ? try image.frames!.frame(at: index) : image.bitmap
  }
}
