import EaselAVIF
import EaselBasic
import EaselCore
import EaselGIF
import EaselHEIF
import EaselJPEG
import EaselJXL
import EaselPNG
import EaselPixels
import EaselTIFF
import EaselTestPixels
import EaselWebP
import FoundationEssentials

/// Makes files with wounds of all kinds that files have in practice.
enum WoundedFiles {
  static let all: [WoundedFile] = {
    do {
      return try jpegs() + pngs() + gifs() + webps() + others()
    } catch {
      preconditionFailure("The files cannot be made: \(error)")
    }
  }()

  // MARK: Making

  /// Collects the wounds of one sound file.
  private struct Series {
    let name: String
    let coder: any ImageCoder
    let sound: [UInt8]
    var files: [WoundedFile] = []

    mutating func add(
      _ wound: String, _ bytes: [UInt8], _ remains: WoundedFile.Remains, isNotedInHeader: Bool = true
    ) {
      files.append(
        WoundedFile(
          name: "\(name), \(wound)", coder: coder, sound: sound, bytes: bytes, remains: remains,
          isNotedInHeader: isNotedInHeader))
    }

    mutating func cut(
      _ count: Int, _ wound: String, _ remains: WoundedFile.Remains, isNotedInHeader: Bool = true
    ) {
      add(wound, Array(sound.dropLast(count)), remains, isNotedInHeader: isNotedInHeader)
    }

    mutating func clear(_ count: Int, _ wound: String, _ remains: WoundedFile.Remains) {
      add(wound, sound.dropLast(count) + [UInt8](repeating: 0, count: count), remains)
    }
  }

  private static func file(
    _ image: Image, _ coder: any EncodingCoder, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> [UInt8] {
    var options = EncodeOptions()
    change(&options)
    let bytes = try coder.encode(image, as: coder.formats[0], options: options, work: WorkContext())
    return try bytes.withUnsafeBytes { Array($0) }
  }

  private static func still(_ hasAlpha: Bool = false) throws -> Image {
    hasAlpha ? Image(try Bitmap.noise(61, 90, .rgba8)) : Image(try Bitmap.waves(61, 90))
  }

  private static func moving() throws -> Image {
    let bitmaps = try (0..<5).map { try Bitmap.noise(40, 30, .opaqueRGBA8, seed: UInt64($0 + 1)) }
    var image = Image(bitmaps[0])
    image.frames = try FrameArray(bitmaps, each: .milliseconds(70))
    return image
  }

  // MARK: JPEG

  private static func jpegs() throws -> [WoundedFile] {
    var baseline = Series(name: "JPEG", coder: JPEGCoder(), sound: try file(still(), JPEGCoder()))
    baseline.cut(2, "without its end marker", .all)
    baseline.cut(1, "with half of its end marker", .all)
    baseline.clear(2, "with zeros in place of its end marker", .all)
    baseline.add(
      "with an empty tail in place of its end marker",
      baseline.sound.dropLast(2) + [UInt8](repeating: 0, count: 5000), .all)
    baseline.cut(baseline.sound.count / 3, "without a third", .upperRows(blurred: 16))
    baseline.clear(baseline.sound.count / 3, "with a third of zeros", .something)
    var progressive = Series(
      name: "progressive JPEG", coder: JPEGCoder(), sound: try file(still(), JPEGCoder()) { $0.progressive = true })
    let scans = progressive.sound.indices.dropLast().filter {
      progressive.sound[$0] == 0xFF && progressive.sound[$0 + 1] == 0xDA
    }
    progressive.cut(2, "without its end marker", .all)
    progressive.clear(2, "with zeros in place of its end marker", .all)
    progressive.cut(progressive.sound.count - scans.last!, "without its last scan", .something)
    progressive.cut(12, "cut in its last scan", .something)
    progressive.cut(progressive.sound.count / 2, "without its second half", .something)
    return baseline.files + progressive.files + (try restarts())
  }

  private static func restarts() throws -> [WoundedFile] {
    var series = Series(name: "JPEG with restart markers", coder: JPEGCoder(), sound: withRestarts)
    let marker = series.sound.indices.dropLast().first {
      series.sound[$0] == 0xFF && (0xD0...0xD7).contains(series.sound[$0 + 1])
    }!
    series.cut(2, "without its end marker", .all)
    var lost = series.sound
    lost.removeSubrange(marker..<marker + 2)
    series.add("without one of them", lost, .something, isNotedInHeader: false)
    var wrong = series.sound
    wrong[marker + 1] = 0xD5
    series.add("one of which is wrong", wrong, .something, isNotedInHeader: false)
    series.cut(series.sound.count - marker - 4, "cut behind the first", .upperRows(blurred: 16))
    return series.files
  }

  /// A picture of 64x64 waves with a restart marker behind each row of blocks.
  private static let withRestarts = Array(Data(base64Encoded: restartText)!)

  private static let restartText =
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKB"
    + "TmCNl4x9lnN+gXz/2wBDARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8"
    + "fHz/wAARCABAAEADASIAAhEBAxEB/8QAGQAAAwEBAQAAAAAAAAAAAAAAAwQFAgEA/8QAHxAAAwACAwEBAQEAAAAAAAAAAAEDAgQxUWER"
    + "QRIh/8QAFwEBAQEBAAAAAAAAAAAAAAAABQQDAv/EABsRAAMBAQEBAQAAAAAAAAAAAAABAgMEERIT/90ABAAE/9oADAMBAAIRAxEAPwCp"
    + "hqro29dJcDSaRnPJGG3SzuKcoRpFClYlCuaFKZoge1Nkm+9CGUPr4OY6v18Df+NhZ4o0l0w5aVTAS1PB2Woug0sUN4JIqhMTwdI//9Ck"
    + "9pdgKbnpLz2X2LU2X2Q1H0xLTFSinTb9F8tr6+SXnsN/phWbZrny+g22XrLGGx9/RqVvSJOjHJUYhHJ4dY8nrLk7rsMtlJckbGzSPZbD"
    + "S5NvwSFJ5lKP/9GZTFi1MWWKa/gDLW8Jsn9Mq6OtEh4Nm8JPopLU+/geen4L5eJBq3VMQlF9Dc5Mfnp+B1q/FwbPVIUwtIm/w0gVEytn"
    + "r/FwK1h4S30o306Ekf/SezmgTkjuVl2cVUcYYNAut1TN4RQzOCAzohmdEWP2UaYZ02GwijbmkjCskjGewuw/XRjEzUo5TFCdcUbrsrsU"
    + "psJ/pDVUyLe6P//Z"

  // MARK: PNG

  private static func pngs() throws -> [WoundedFile] {
    var series = Series(name: "PNG", coder: PNGCoder(), sound: try file(still(true), PNGCoder()))
    let sound = series.sound
    series.cut(12, "without IEND", .all)
    series.cut(6, "with half of IEND", .all)
    series.cut(3, "without the check sum of IEND", .all)
    series.clear(12, "with zeros in place of IEND", .all)
    series.cut(16, "without IEND and the check sum before it", .all)
    series.cut(sound.count / 3, "without a third", .upperRows(blurred: 0))
    var wrong = sound
    wrong[sound.count - 13] ^= 1
    series.add("with a wrong check sum of its pixels' chunk", wrong, .something, isNotedInHeader: false)
    series.add("with a wrong check sum of its pixels", try withWrongSum(of: sound), .something, isNotedInHeader: false)
    var opaque = Series(name: "opaque PNG", coder: PNGCoder(), sound: try file(still(), PNGCoder()))
    opaque.cut(12, "without IEND", .all)
    opaque.cut(opaque.sound.count / 2, "without its second half", .upperRows(blurred: 0))
    var animation = Series(name: "animated PNG", coder: PNGCoder(), sound: try file(moving(), PNGCoder()))
    animation.cut(12, "without IEND", .all)
    animation.clear(12, "with zeros in place of IEND", .all)
    animation.cut(100, "cut in its last frame", .something)
    return series.files + opaque.files + animation.files
  }

  /// Changes the sum at the end of the compressed pixels; that of their chunk fits the change.
  private static func withWrongSum(of file: [UInt8]) throws -> [UInt8] {
    var file = file
    let place = file.count - 17
    file[place] ^= 1
    let start = file.indices.first { Array(file[$0...].prefix(4)) == Array("IDAT".utf8) }!
    var sum = ~UInt32(0)
    for byte in file[start...place] {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    for index in 0..<4 { file[place + 1 + index] = UInt8(truncatingIfNeeded: ~sum >> (24 - 8 * UInt32(index))) }
    return file
  }

  // MARK: GIF

  private static func gifs() throws -> [WoundedFile] {
    var series = Series(name: "GIF", coder: GIFCoder(), sound: try file(still(), GIFCoder()))
    series.cut(1, "without its trailer", .all)
    series.clear(1, "with a zero in place of its trailer", .all)
    series.add(
      "with an empty tail in place of its trailer", series.sound.dropLast() + [UInt8](repeating: 0, count: 300), .all)
    series.cut(2, "without trailer and end of data", .all)
    // The last row is there in part.
    series.cut(series.sound.count / 3, "without a third", .upperRows(blurred: 1))
    var animation = Series(name: "animated GIF", coder: GIFCoder(), sound: try file(moving(), GIFCoder()))
    animation.cut(1, "without its trailer", .all)
    animation.cut(100, "cut in its last frame", .something)
    return series.files + animation.files
  }

  // MARK: WebP

  private static let exif = Data([0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])

  private static func webps() throws -> [WoundedFile] {
    var files: [WoundedFile] = []
    for (name, isLossless, hasAlpha) in [
      ("lossy WebP", false, false), ("lossless WebP", true, false), ("WebP with alpha", false, true),
    ] {
      var image = try still(hasAlpha)
      image.metadata.exif = exif
      let coder = WebPCoder()
      var series = Series(
        name: name, coder: coder,
        sound: try file(image, coder) {
          $0.lossless = isLossless
          $0.keepsMetadata = true
        })
      series.cut(exif.count + 8, "without the chunk behind its pixels", .all)
      series.cut(5, "cut in the chunk behind its pixels", .all)
      // Alpha is in one piece before the colours.
      series.cut(series.sound.count / 2, "without its second half", hasAlpha ? .whatTheLibraryGives : .something)
      files += series.files
    }
    var animation = Series(
      name: "animated WebP", coder: WebPCoder(), sound: try file(moving(), WebPCoder()) { $0.lossless = true })
    animation.cut(100, "cut in its last frame", .something)
    return files + animation.files
  }

  // MARK: Others

  private static func others() throws -> [WoundedFile] {
    var qoi = Series(name: "QOI", coder: QOICoder(), sound: try file(still(true), QOICoder()))
    qoi.cut(8, "without its last bytes", .all, isNotedInHeader: false)
    qoi.cut(3, "with a part of its last bytes", .all, isNotedInHeader: false)
    qoi.cut(qoi.sound.count / 2, "without its second half", .upperRows(blurred: 0), isNotedInHeader: false)
    var bmp = Series(name: "BMP", coder: BMPCoder(), sound: try file(still(), BMPCoder()))
    bmp.cut(1, "without the last byte behind its last row", .all, isNotedInHeader: false)
    bmp.cut(bmp.sound.count / 2, "without its second half", .something, isNotedInHeader: false)
    var pnm = Series(name: "PNM", coder: PNMCoder(), sound: try file(still(), PNMCoder()))
    pnm.cut(pnm.sound.count / 2, "without its second half", .upperRows(blurred: 0), isNotedInHeader: false)
    var tiff = Series(
      name: "TIFF", coder: TIFFCoder(),
      sound: try file(Image(Bitmap.noise(200, 300, .rgba8)), TIFFCoder()))
    tiff.cut(tiff.sound.count / 3, "without a third", .whatTheLibraryGives)
    var avif = Series(name: "AVIF", coder: AVIFCoder(), sound: try file(still(), AVIFCoder()))
    avif.cut(20, "without its last bytes", .whatTheLibraryGives)
    var jxl = Series(name: "JPEG XL", coder: JXLCoder(), sound: try file(still(), JXLCoder()))
    jxl.cut(jxl.sound.count / 3, "without a third", .whatTheLibraryGives)
    var heic = Series(name: "HEIC", coder: HEIFCoder(), sound: HEIFCoder.card.sample ?? [])
    heic.cut(3, "without its last bytes", .whatTheLibraryGives)
    return qoi.files + bmp.files + pnm.files + tiff.files + avif.files + jxl.files + heic.files
  }
}
