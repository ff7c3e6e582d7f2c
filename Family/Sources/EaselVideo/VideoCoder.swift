import CEaselVideo
import EaselCore

/// Shows films by single frames, with FFmpeg.
///
/// FFmpeg reads hundreds of formats, some of which refer to other files, and is under the GPL as Debian builds it. So this
/// coder decodes only in a sandbox, and is a part of the program `easel-video` alone.
///
/// - The picture is the poster: the first frame that is not black or empty, not blurred, and not a part of a fade.
/// - Each second of the film is a page: frame 1 is the frame at one second, and so on; frame 0 is the poster.
/// - The picture is upright, and its pixels are square.
/// - Nothing but the bytes is read: playlists, references and addresses are not followed.
package struct VideoCoder: SandboxGuest {
  package init() {}

  package var identifier: String { "video" }

  package var formats: [ImageFormat] { VideoFormat.all }

  /// True for every file, because the card of the helper has recognized it.
  package func canDecode(prefix: [UInt8]) -> Bool { true }

  package func probe(_ bytes: ImageBytes, work: WorkContext) throws -> ImageHeader {
    try Film(bytes, work: work).header
  }

  package func decode(_ bytes: ImageBytes, options: DecodeOptions, work: WorkContext) throws -> Image {
    let film = try Film(bytes, work: work)
    let frames = FilmFrames(film, options: options, work: work)
    var image = Image(
      try frames.frame(at: 0, work: work), format: film.header.format,
      metadata: ImageMetadata(storedSize: film.size), traits: frames.canvasSize == film.size ? [] : .thumbnail)
    if frames.count > 1, !options.firstFrameOnly { image.frames = frames }
    return image
  }

  /// True, because a film can keep a decoder busy for as long as it wants.
  package var staysInSandbox: Bool { true }
}
