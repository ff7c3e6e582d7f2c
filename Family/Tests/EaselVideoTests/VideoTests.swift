import EaselCore
import FamilyTesting
import Foundation
import Testing

/// Films made by the program `ffmpeg`, beside the frames that it shows.
@Suite(.serialized)
struct VideoTests {
  private let video = HelperUnderTest("video")

  /// A film of a moving picture of 160x90, with these options.
  private func film(
    _ maker: Maker, _ options: [String], _ name: String, source: String = "testsrc=s=160x90:d=3:r=10"
  ) throws -> Data {
    try maker.make(
      ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-pix_fmt", "yuv420p"] + options + [name])
    return try maker.data(name)
  }

  /// The frame at a time, to which `ffmpeg` decodes from the beginning, because it seeks some formats badly.
  private func reference(_ maker: Maker, _ name: String, at seconds: Double, filter: String = "null") throws -> Bitmap {
    try maker.make(
      "ffmpeg", "-v", "error", "-y", "-i", name, "-ss", "\(seconds)", "-frames:v", "1", "-vf", filter, "reference.png")
    return try video.image(try maker.data("reference.png")).bitmap
  }

  @Test func theCardIsRead() throws {
    #expect(video.cards.mistakes.isEmpty, "\(video.cards.mistakes)")
    try video.helpers.start()
    let outcome = try Maker.run([video.program])
    #expect(outcome.status == 2 && outcome.errors.contains("easel convert film.mp4"))
  }

  @Test(arguments: [
    ("a.mp4", "video/mp4", ["-c:v", "libx264"]),
    ("b.mp4", "video/mp4", ["-c:v", "libx265", "-x265-params", "log-level=none"]),
    ("c.mp4", "video/mp4", ["-c:v", "mpeg4"]), ("d.mov", "video/quicktime", ["-c:v", "libx264"]),
    ("e.mov", "video/quicktime", ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"]),
    ("f.webm", "video/webm", ["-c:v", "libvpx"]),
    ("g.webm", "video/webm", ["-c:v", "libvpx-vp9"]), ("h.mkv", "video/x-matroska", ["-c:v", "ffv1"]),
    ("i.mkv", "video/x-matroska", ["-c:v", "libx264", "-bf", "3"]), ("j.avi", "video/x-msvideo", ["-c:v", "mpeg4"]),
    ("k.ts", "video/mp2t", ["-c:v", "mpeg2video"]), ("l.ts", "video/mp2t", ["-c:v", "libx264"]),
    ("m.mpg", "video/mpeg", ["-c:v", "mpeg1video", "-r", "25"]), ("n.flv", "video/x-flv", ["-c:v", "flv"]),
    ("o.ogv", "video/ogg", ["-c:v", "libtheora"]), ("p.wmv", "video/x-ms-wmv", ["-c:v", "wmv2"]),
    ("q.mp4", "video/mp4", ["-c:v", "libx264", "-movflags", "frag_keyframe+empty_moov"]),
  ])
  func theSecondsOfAFilmAreThoseOfFFmpeg(_ name: String, _ type: String, _ options: [String]) throws {
    try Maker.with { maker in
      let bytes = try film(maker, options, name)
      let header = try video.header(bytes)
      #expect(header.format.mimeType == type && header.storedSize == PixelSize(width: 160, height: 90))
      let image = try video.image(bytes)
      #expect(image.size == header.storedSize)
      // The picture of the first frame is good.
      #expect(image.bitmap.difference(try reference(maker, name, at: 0), over: 4) < 4, "\(name): the poster")
      let frames = try #require(image.frames)
      #expect((3...4).contains(frames.count))
      for second in [2, 1] {
        let expected = try reference(maker, name, at: Double(second))
        #expect(try frames.frame(at: second).difference(expected, over: 4) < 6, "\(name): \(second) s")
      }
    }
  }

  @Test func theLengthAndTheCodingAreNotes() throws {
    try Maker.with { maker in
      let bytes = try film(maker, ["-c:v", "libx264"], "a.mp4", source: "testsrc=s=160x90:d=2.5:r=10")
      #expect(try video.header(bytes).notes == ["A film of 2.5 s in h264, without sound."])
      #expect(try video.header(bytes).frameCount == 3)
      try maker.make(
        "ffmpeg", "-v", "error", "-i", "a.mp4", "-f", "lavfi", "-i", "sine=d=2.5", "-c:v", "copy", "-c:a", "aac",
        "b.mp4")
      #expect(try video.header(try maker.data("b.mp4")).notes[0].hasSuffix("with sound."))
    }
  }

  @Test(arguments: [90, 180, 270]) func theFilmIsTurnedUpright(_ degrees: Int) throws {
    try Maker.with { maker in
      _ = try film(maker, ["-c:v", "libx264"], "a.mp4")
      try maker.make(
        "ffmpeg", "-v", "error", "-i", "a.mp4", "-c", "copy", "-metadata:s:v", "rotate=\(degrees)", "b.mp4")
      let image = try video.image(try maker.data("b.mp4"))
      let expected = try reference(maker, "b.mp4", at: 0)
      #expect(image.size == expected.size && (image.size.width == 90) == (degrees != 180))
      #expect(image.bitmap.difference(expected, over: 4) < 4)
    }
  }

  @Test func pixelsThatAreNotSquareAreMadeSo() throws {
    try Maker.with { maker in
      let bytes = try film(maker, ["-vf", "setsar=2", "-c:v", "libx264"], "a.mp4")
      let image = try video.image(bytes)
      #expect(image.size == PixelSize(width: 320, height: 90))
      let expected = try reference(maker, "a.mp4", at: 0, filter: "scale=320:90")
      #expect(image.bitmap.difference(expected, over: 4) < 4)
    }
  }

  @Test(arguments: ["bt709", "smpte170m"]) func coloursAreThoseOfTheMatrix(_ space: String) throws {
    try Maker.with { maker in
      let options = ["-vf", "scale=out_color_matrix=\(space)", "-colorspace", space, "-c:v", "libx264"]
      let bytes = try film(maker, options, "a.mp4", source: "color=0x20C040:s=64x64:d=1:r=5")
      let color = try video.image(bytes).bitmap.color(32, 32)
      #expect(zip(color, [0x20, 0xC0, 0x40]).allSatisfy { abs(Int($0) - $1) < 8 }, "\(color)")
    }
  }

  @Test func aThumbnailHasItsSize() throws {
    try Maker.with { maker in
      let bytes = try film(maker, ["-c:v", "libx264"], "a.mp4")
      let image = try video.image(bytes, DecodeOptions(thumbnailSize: PixelSize(width: 40, height: 40)))
      #expect(image.size == PixelSize(width: 40, height: 23) && image.traits.contains(.thumbnail))
    }
  }

  // MARK: Posters

  /// A film that begins with a second of something else.
  private func filmBeginning(_ maker: Maker, with beginning: String) throws -> Data {
    try maker.make(
      "ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", beginning, "-f", "lavfi", "-i",
      "testsrc=s=160x90:d=3:r=10", "-filter_complex", "[0][1]concat=n=2", "-pix_fmt", "yuv420p", "a.mp4")
    return try maker.data("a.mp4")
  }

  private func showsTheTest(_ maker: Maker, _ bytes: Data) throws -> Bool {
    let poster = try video.image(bytes).bitmap
    return [2, 3, 5].contains { second in
      guard let frame = try? reference(maker, "a.mp4", at: Double(second)) else { return false }
      return poster.difference(frame, over: 4) < 12
    }
  }

  @Test(arguments: ["black", "white", "0x404040"]) func aPosterIsNotOfOneColour(_ color: String) throws {
    try Maker.with { maker in
      let bytes = try filmBeginning(maker, with: "color=\(color):s=160x90:d=1.5:r=10")
      #expect(try showsTheTest(maker, bytes))
    }
  }

  @Test func aPosterIsNotBlurred() throws {
    try Maker.with { maker in
      let bytes = try filmBeginning(maker, with: "testsrc=s=160x90:d=1.5:r=10,gblur=sigma=40")
      #expect(try showsTheTest(maker, bytes))
    }
  }

  @Test func aPosterIsNoPartOfAFade() throws {
    try Maker.with { maker in
      let source = "testsrc=s=160x90:d=6:r=10,fade=t=in:d=3"
      let bytes = try film(maker, ["-c:v", "libx264"], "a.mp4", source: source)
      let poster = try video.image(bytes).bitmap
      #expect(poster.difference(try reference(maker, "a.mp4", at: 3), over: 4) < 12)
    }
  }

  @Test func aFilmThatShowsNothingStillHasAPoster() throws {
    try Maker.with { maker in
      let bytes = try film(maker, ["-c:v", "libx264"], "a.mp4", source: "color=black:s=160x90:d=2:r=10")
      #expect(try video.image(bytes).size == PixelSize(width: 160, height: 90))
    }
  }

  // MARK: Hostile files

  @Test func otherFilesAreNotOpened() throws {
    try Maker.with { maker in
      _ = try film(maker, ["-c:v", "libx264"], "secret.mp4")
      let path = maker.path("secret.mp4")
      let playlists = [
        "ffconcat version 1.0\nfile '\(path)'\n", "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile://\(path)\n",
        "concat:\(path)", "file:\(path)", "[playlist]\nFile1=\(path)\n",
      ]
      for text in playlists {
        // The signature of a film before it lets the helper see the rest.
        for beginning in ["FLV", "OggS", "\u{0}\u{0}\u{0}\u{8}ftyp"] {
          let error = try #require(video.error(Data((beginning + text).utf8)))
          #expect([.badImageData, .unsupportedFormat].contains(error.code), "\(error)")
        }
        #expect(video.error(Data(text.utf8))?.code == .unsupportedFormat)
      }
    }
  }

  @Test func aSoundIsNoFilm() throws {
    try Maker.with { maker in
      try maker.make("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "libvorbis", "a.ogg")
      #expect(video.error(try maker.data("a.ogg"))?.code == .unsupportedFormat)
    }
  }

  @Test func limitsBindTheFrames() throws {
    try Maker.with { maker in
      let bytes = try film(maker, ["-c:v", "libx264"], "a.mp4")
      var limits = Limits()
      limits.framePixels = 10_000
      #expect(video.error(bytes, limits: limits) != nil)
      limits = Limits()
      limits.totalPixels = 160 * 90 * 2
      #expect(try video.image(bytes, limits: limits).frames?.count == 2)
    }
  }

  /// A short form of what `EASEL_VIDEO_MUTATIONS=5000` does.
  @Test func changedBytesAreAnErrorOrAPicture() throws {
    let most = ProcessInfo.processInfo.environment["EASEL_VIDEO_MUTATIONS"].flatMap { Int($0) } ?? 60
    var limits = Limits()
    limits.decodeTime = .seconds(3)
    limits.framePixels = 1_000_000
    let seeds = try Maker.with { maker in
      try [
        ("a.mp4", ["-c:v", "libx264"]), ("b.webm", ["-c:v", "libvpx"]), ("c.avi", ["-c:v", "mpeg4"]),
        ("d.ts", ["-c:v", "mpeg2video"]), ("e.ogv", ["-c:v", "libtheora"]),
      ].map { Array(try film(maker, $1, $0, source: "testsrc=s=64x48:d=2:r=5")) }
    }
    var state: UInt64 = 52
    func next(_ most: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % most
    }
    var codes: [String: Int] = [:]
    for turn in 0..<most {
      var bytes = seeds[turn % seeds.count]
      for _ in 0...next(8) { bytes[12 + next(bytes.count - 12)] = UInt8(next(256)) }
      if next(6) == 0 { bytes.removeLast(next(bytes.count - 20)) }
      codes[video.error(Data(bytes), limits: limits)?.code.name ?? "decoded", default: 0] += 1
    }
    print("Video, \(most) changed films: \(codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
    let allowed = ["decoded", "badImageData", "limitExceeded", "decoderCrashed", "unsupportedFormat"]
    #expect(codes.keys.allSatisfy(allowed.contains))
  }
}
