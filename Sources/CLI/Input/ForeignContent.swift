/// Kinds of files that Easel does not read, recognized by their first bytes so that errors can name them.
enum ForeignContent {
  private struct Mark {
    let text: String
    let offset: Int
    let bytes: [UInt8]

    init(_ text: String, _ bytes: String, at offset: Int = 0) {
      (self.text, self.offset, self.bytes) = (text, offset, Array(bytes.utf8))
    }

    init(_ text: String, _ bytes: [UInt8], at offset: Int = 0) {
      (self.text, self.offset, self.bytes) = (text, offset, bytes)
    }

    func matches(_ prefix: [UInt8]) -> Bool { prefix.dropFirst(offset).starts(with: bytes) }
  }

  private static let marks = [
    Mark("a PDF document", "%PDF-"), Mark("a PostScript document", "%!PS"),
    Mark("an archive or a document of an office program (ZIP)", [0x50, 0x4B, 3, 4]),
    Mark("an empty archive (ZIP)", [0x50, 0x4B, 5, 6]),
    Mark("a compressed file (gzip)", [0x1F, 0x8B]), Mark("a compressed file (xz)", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0]),
    Mark("a compressed file (Zstandard)", [0x28, 0xB5, 0x2F, 0xFD]), Mark("a compressed file (bzip2)", "BZh"),
    Mark("an archive (7z)", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]), Mark("an archive (RAR)", "Rar!\u{1A}\u{7}"),
    Mark("a video (Matroska or WebM)", [0x1A, 0x45, 0xDF, 0xA3]), Mark("a video (AVI)", "AVI ", at: 8),
    Mark("a sound (WAV)", "WAVE", at: 8), Mark("a video (Flash)", "FLV"),
    Mark("a video (MPEG)", [0, 0, 1, 0xBA]), Mark("a video (MPEG)", [0, 0, 1, 0xB3]),
    Mark("a video (QuickTime)", "moov", at: 4), Mark("a video (QuickTime)", "wide", at: 4),
    Mark("a video or a sound (MP4, QuickTime)", "ftyp", at: 4), Mark("a sound or a video (Ogg)", "OggS"),
    Mark("a sound (MP3)", "ID3"), Mark("a sound (FLAC)", "fLaC"), Mark("a sound (MIDI)", "MThd"),
    Mark("a Photoshop document", "8BPS"), Mark("a GIMP document", "gimp xcf"),
    Mark("a picture in OpenEXR", [0x76, 0x2F, 0x31, 0x01]), Mark("a texture (DDS)", "DDS "),
    Mark("an icon of macOS", "icns"), Mark("a picture in FITS", "SIMPLE  ="),
    Mark("a medical picture (DICOM)", "DICM", at: 128),
    Mark("a program (ELF)", [0x7F, 0x45, 0x4C, 0x46]), Mark("a database (SQLite)", "SQLite format 3\0"),
    Mark("a pointer of Git LFS, and not the picture itself", "version https://git-lfs"),
  ]

  /// The name of the kind that the bytes seem to have; nil if it is unknown.
  static func name(of prefix: [UInt8]) -> String? {
    if let mark = marks.first(where: { $0.matches(prefix) }) { return mark.text }
    guard isText(prefix) else { return nil }
    let text = String(decoding: prefix, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
    if ["<!doctype html", "<html", "<head", "<body"].contains(where: text.hasPrefix) { return "a web page (HTML)" }
    if text.hasPrefix("<?xml") { return "a document in XML" }
    if text.hasPrefix("#!") { return "a script" }
    return text.isEmpty ? nil : text.hasPrefix("{") || text.hasPrefix("[") ? "a text, perhaps JSON" : "a text"
  }

  /// True for UTF-8 without control characters; the last character may be cut.
  private static func isText(_ bytes: [UInt8]) -> Bool {
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [9, 10, 12, 13].contains($0) }) else { return false }
    return (0..<min(4, bytes.count)).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }
}
