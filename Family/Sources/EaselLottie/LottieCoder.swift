import EaselCore

extension ImageFormat {
  /// The text of JSON of an animation, and the archive of dotLottie.
  static let lottie = ImageFormat(mimeType: "video/lottie+json")
  static let dotLottie = ImageFormat(mimeType: "application/x-dotlottie")
}

/// Draws Lottie animations at the wanted size, with rlottie.
///
/// rlottie reads JSON without limits and draws for as long as a file wants, so this coder decodes only in a sandbox, and is
/// a part of the program `easel-lottie` alone.
///
/// - The frames are those of the file, drawn on demand, with its rate; the animation plays forever.
/// - Of an archive (dotLottie) the first animation of its manifest is drawn.
/// - Pictures in an animation are left out, and nothing besides the file is read.
package struct LottieCoder: DrawingCoder, SandboxGuest {
  package init() {}

  package var identifier: String { "lottie" }

  package var formats: [ImageFormat] { [.lottie, .dotLottie] }

  package func drawsLarger(_ format: ImageFormat) -> Bool { true }

  /// True for every file, because the card of the helper has recognized it.
  package func canDecode(prefix: [UInt8]) -> Bool { true }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try LottieAnimation(bytes, work: work).header
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let animation = try LottieAnimation(bytes, work: work)
    let frames = LottieFrames(animation, options: options, work: work)
    var image = Image(
      try frames.frame(at: 0, work: work), format: animation.header.format,
      metadata: ImageMetadata(storedSize: animation.header.storedSize),
      traits: frames.canvasSize == animation.header.storedSize ? [] : .thumbnail)
    if frames.count > 1, !options.firstFrameOnly {
      try work.limits.check(frameCount: frames.count, of: frames.canvasSize, claimedBy: "Lottie: the animation")
      image.frames = frames
    }
    return image
  }

  /// True, because only a process can be ended while it draws.
  package var staysInSandbox: Bool { true }

  /// True: rlottie draws on threads.
  package var startsThreads: Bool { true }
}
