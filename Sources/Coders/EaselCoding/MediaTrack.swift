import EaselCore

/// A track of a sequence: its pictures, their alpha, a depth map, or sound.
package struct MediaTrack {
  package let box: MediaBox
  /// True for the track of the pictures and for the track of their alpha.
  package let isShown: Bool
  /// True for the track of the pictures.
  package let isPicture: Bool
  /// The size of the pictures that the head of the track states.
  package let size: PixelSize?
  /// The number of samples.
  package let sampleCount: Int
  /// The number of plays that an edit list states; 0 means forever.
  package let plays: Int
  /// The places of the samples in the file; nil if a table cannot be read.
  package let chunks: [Range<Int>]?
  /// The description of the pictures' coding.
  package let entry: MediaBox?
  /// The metadata of the track.
  package let meta: MediaBox?
  /// The number of bytes in boxes that say nothing about pictures.
  let strangeBytes: Int

  package init(_ box: MediaBox, of bytes: MediaBytes) {
    self.box = box
    let boxes = bytes.boxes(in: box.body())
    let media = boxes.first("mdia").map { bytes.boxes(in: $0.body()) } ?? []
    let information = media.first("minf").map { bytes.boxes(in: $0.body()) } ?? []
    let tables = information.first("stbl").map { bytes.boxes(in: $0.body()) } ?? []
    let handler = media.first("hdlr").flatMap { bytes.kind(at: $0.content + 8) }
    entry = tables.first("stsd").flatMap { bytes.box(at: $0.content + 8, before: $0.end) }
    isPicture = handler == "pict"
    isShown = isPicture || handler == "auxv" && entry.map { Self.isAlpha($0, bytes) } != false
    size = boxes.first("tkhd").flatMap { Self.size($0, bytes) }
    let sizes = tables.first("stsz") ?? tables.first("stz2")
    sampleCount = sizes.flatMap { bytes.number(at: $0.content + 8, bytes: 4) } ?? 0
    plays = Self.plays(boxes, bytes)
    chunks = Self.chunks(tables, bytes)
    meta = boxes.first("meta")
    var strange = boxes.bytes(of: box.body(), except: ["tkhd", "edts", "tref", "mdia", "meta"])
    if let box = boxes.first("mdia") {
      strange += media.bytes(of: box.body(), except: ["mdhd", "hdlr", "minf", "elng"])
    }
    if let box = media.first("minf") {
      strange += information.bytes(of: box.body(), except: ["vmhd", "nmhd", "dinf", "stbl", "hdlr"])
    }
    if let box = information.first("stbl") {
      strange += tables.bytes(
        of: box.body(),
        except: [
          "stsd", "stts", "stsc", "stsz", "stz2", "stco", "co64", "stss", "ctts", "sdtp", "sbgp", "sgpd", "cslg",
        ])
    }
    // Turns and mirrors count as metadata, as in a still picture.
    if let list = tables.first("stsd"), let entry, entry.end <= list.end {
      strange += list.end - entry.end
      let part = min(entry.content + Self.entryBytes, entry.end)..<entry.end
      strange += bytes.boxes(in: part).bytes(of: part, except: Self.knownOfEntry)
    }
    strangeBytes = strange
  }

  private static let knownOfEntry: Set<MediaBox.Kind> = [
    "av1C", "hvcC", "colr", "pasp", "clap", "auxi", "ccst", "btrt", "clli", "mdcv", "pixi", "cclv", "amve", "fiel",
  ]

  /// The number of bytes before the boxes in the sample entry of a picture.
  private static let entryBytes = 78

  /// The boxes that describe the coding.
  package func entryBoxes(_ bytes: MediaBytes) -> [MediaBox] {
    guard let entry, entry.content + Self.entryBytes <= entry.end else { return [] }
    return bytes.boxes(in: entry.content + Self.entryBytes..<entry.end)
  }

  /// False if the entry names another kind of auxiliary picture, such as a depth map.
  private static func isAlpha(_ entry: MediaBox, _ bytes: MediaBytes) -> Bool {
    guard entry.content + entryBytes <= entry.end,
      let kind = bytes.boxes(in: entry.content + entryBytes..<entry.end).first("auxi")
    else { return true }
    return bytes.isAlpha(at: kind.content + 4)
  }

  private static func isLong(_ box: MediaBox, _ bytes: MediaBytes) -> Bool {
    bytes.number(at: box.content, bytes: 1) == 1
  }

  private static func size(_ head: MediaBox, _ bytes: MediaBytes) -> PixelSize? {
    let place = head.content + (isLong(head, bytes) ? 88 : 76)
    guard place + 8 <= head.end, let width = bytes.number(at: place, bytes: 4),
      let height = bytes.number(at: place + 4, bytes: 4)
    else { return nil }
    return PixelSize(width: width >> 16, height: height >> 16)
  }

  /// The number of plays, as in browsers: forever without an edit list, else as often as the list says.
  private static func plays(_ boxes: [MediaBox], _ bytes: MediaBytes) -> Int {
    guard let head = boxes.first("tkhd"), let edits = boxes.first("edts"),
      let list = bytes.boxes(in: edits.body()).first("elst"), let flags = bytes.number(at: list.content + 1, bytes: 3)
    else { return 0 }
    guard flags & 1 == 1 else { return 1 }
    let width = isLong(list, bytes) ? 8 : 4
    let headWidth = isLong(head, bytes) ? 8 : 4
    let place = head.content + (headWidth == 8 ? 28 : 20)
    guard let once = bytes.number(at: list.content + 8, bytes: width), once > 0 else { return 0 }
    // All bits set mean an endless duration. In eight bytes, the reader already rejects this number.
    guard let whole = bytes.number(at: place, bytes: headWidth), headWidth == 8 || whole != Int(UInt32.max) else {
      return 0
    }
    let plays = max(1, (whole - 1) / once + 1)
    return plays < Int(Int32.max) ? plays : 0
  }

  /// The places of the chunks, each with all of its samples.
  private static func chunks(_ tables: [MediaBox], _ bytes: MediaBytes) -> [Range<Int>]? {
    guard let chunks = MediaChunks(tables, bytes) else { return nil }
    var places: [Range<Int>] = []
    for chunk in chunks.all {
      var (length, overflows) = chunks.commonLength.multipliedReportingOverflow(by: chunk.samples.count)
      if chunks.commonLength == 0 {
        for sample in chunk.samples {
          guard let one = chunks.length(of: sample, bytes) else { return nil }
          length += one
        }
      }
      guard !overflows, chunk.start <= Int.max - length else { return nil }
      places.append(chunk.start..<chunk.start + length)
    }
    return places
  }
}
