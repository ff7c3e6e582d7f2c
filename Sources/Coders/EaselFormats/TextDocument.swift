import EaselCore

/// A text in the markup of pango, as a file that the coder of EaselText draws.
///
/// The server makes one of each text in a URL, so that it is drawn where pictures of strangers are decoded.
package struct TextDocument {
  /// The format of these files, which nobody else writes.
  package static let format = ImageFormat(mimeType: "image/vnd.easel.text")

  /// The most bytes of a text.
  package static let mostBytes = 4096

  private static let mark = Array("\u{1}easel text\n".utf8)

  package let markup: String

  package init(markup: String) { self.markup = markup }

  /// Reads a file; nil if it is no text, or longer than one may be.
  package init?(_ bytes: some Collection<UInt8>) {
    guard Self.begins(bytes), bytes.count <= Self.mostBytes + Self.mark.count,
      let markup = String(validating: bytes.dropFirst(Self.mark.count), as: UTF8.self)
    else { return nil }
    self.markup = markup
  }

  package var bytes: [UInt8] { Self.mark + Array(markup.utf8) }

  /// True for the beginning of such a file.
  package static func begins(_ bytes: some Collection<UInt8>) -> Bool { bytes.starts(with: mark) }
}
