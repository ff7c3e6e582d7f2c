import EaselCore
import EaselEverything
import EaselFormats
import Foundation
import Testing

/// The table of formats follows from the coders and their cards.
///
/// To write it anew: `EASEL_WRITE_PAGES=1 script/test --only EaselCLITests --filter FormatsPageTests`.
struct FormatsPageTests {
  /// The formats whose files may move; no coder declares what it reads.
  private static let moving: [ImageFormat] = [.png, .gif, .webp, .avif, .heic, .jxl, .tiff]
  /// The formats of which more than 8 bits of a component can be kept.
  private static let deep: [ImageFormat] = [.png, .tiff, .pnm, .jxl, .avif, .heic, .jp2, .j2c, .radiance]
  private static let range: [ImageFormat: String] = [
    .png: "PQ, HLG", .avif: "PQ, HLG", .heic: "PQ, HLG", .jxl: "PQ, HLG", .radiance: "light without bound",
    .jpeg: "gain map",
  ]

  @Test func theTableIsUpToDate() throws {
    let coders = CoderRegistry.everything
    let cards = FormatCards(coders).all
    var lines = [
      "| format | names of files | reads | while it arrives | writes | moves | deep | high range | without loss "
        + "| in a sandbox |",
      "|" + String(repeating: " --- |", count: 10),
    ]
    for card in cards.sorted(by: { $0.name < $1.name }) {
      let coder = coders.coder(decoding: card.format)
      let encoder = coders.coder(encoding: card.format)
      let writesFrames = encoder?.writesFrames(as: card.format) ?? false
      #expect(!writesFrames || Self.moving.contains(card.format), "\(card.name) is written with frames.")
      let names = card.fileExtensions.map { "`.\($0)`" }.joined(separator: " ")
      let moves = !Self.moving.contains(card.format) ? "" : writesFrames ? "yes" : "reads"
      let isDeep = Self.deep.contains(card.format)
      let cells = [
        "`\(card.name)`", names, coder == nil ? "" : "yes", coder is any ProgressiveImageCoder ? "yes" : "",
        encoder == nil ? "" : "yes", moves, !isDeep ? "" : encoder == nil ? "reads" : "yes",
        Self.range[card.format] ?? "", encoder != nil && card.isLossless ? "yes" : "", card.isTrusted ? "" : "yes",
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    let table = "\n" + lines.joined(separator: "\n") + "\n\n"

    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/Easel/Easel.docc/Formats.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- table: formats -->\n")).upperBound
    let end = try #require(text.range(of: "<!-- end of table -->")).lowerBound
    if ProcessInfo.processInfo.environment["EASEL_WRITE_PAGES"] != nil {
      try text.replacingCharacters(in: start..<end, with: table).write(to: page, atomically: true, encoding: .utf8)
    } else {
      #expect(text[start..<end] == table, "Formats.md is stale; the comment of this test says how to write it anew.")
    }
  }
}
