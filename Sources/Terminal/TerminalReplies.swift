import EaselCore

/// The capabilities found in a terminal's answers.
struct TerminalReplies: Equatable {
  var understandsKitty = false
  var understandsSixel = false
  var cell: PixelSize?
  /// True once the last answer has arrived; every terminal gives that answer.
  var isComplete = false

  /// Asks whether a picture of one pixel is supported, and for the size of a cell.
  ///
  /// Last, it asks for the attributes, which every terminal reports.
  static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[16t\u{1B}[c"

  init() {}

  init(reading bytes: [UInt8]) {
    for reply in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}") {
      if reply.hasPrefix("_Gi=31;") {
        understandsKitty = reply.hasPrefix("_Gi=31;OK")
      } else if reply.hasPrefix("[6;"), let end = reply.firstIndex(of: "t") {
        let sides = reply[reply.index(reply.startIndex, offsetBy: 3)..<end].split(separator: ";").compactMap { Int($0) }
        if sides.count == 2, sides.allSatisfy({ (1...1000).contains($0) }) {
          cell = PixelSize(width: sides[1], height: sides[0])
        }
      } else if reply.hasPrefix("[?"), let end = reply.firstIndex(of: "c") {
        let attributes = reply[reply.index(reply.startIndex, offsetBy: 2)..<end].split(separator: ";")
        understandsSixel = attributes.dropFirst().contains("4")
        isComplete = true
      }
    }
  }

  /// The best way of drawing that the terminal supports.
  var graphics: TerminalGraphics { understandsKitty ? .kitty : understandsSixel ? .sixel : .blocks }
}
