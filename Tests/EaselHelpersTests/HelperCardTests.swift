import EaselCore
import Testing

@testable import EaselHelpers

/// What a card says, and which cards are refused.
struct HelperCardTests {
  static let text = """
    # A format of documents.
    coder = doc
    program = /usr/libexec/easel/easel-doc

    format = application/x-doc doc dox
    format = application/x-document+zip docz
    signature = 0-4 "DOC 1" 9 00ff
    signature = 2 "zip"
    drawing = yes
    threads = yes
    memory-mib = 64
    nanoseconds-per-pixel = 40
    bytes-per-pixel = 8

    """

  @Test func aCardSaysAll() throws {
    let card = try HelperCard(Self.text)
    #expect(card.coder == "doc" && card.program == "/usr/libexec/easel/easel-doc")
    #expect(card.formats.map(\.mimeType) == ["application/x-doc", "application/x-document+zip"])
    #expect(card.formatsAndExtensions.map(\.extensions) == [["doc", "dox"], ["docz"]])
    #expect(card.isDrawing && card.startsThreads && !card.isAskedFirst)
    #expect(card.memory == 64 && card.nanosecondsPerPixel == 40 && card.bytesPerPixel == 8)
  }

  @Test func linesThatMayBeMissingHaveDefaults() throws {
    let least = "coder=a\nprogram=/a\nformat=a/b c\nsignature=0 \"a\""
    let card = try HelperCard(least)
    #expect(!card.isDrawing && !card.startsThreads && !card.isAskedFirst && card.memory == 256)
    #expect(try HelperCard(least.replacing("\n", with: " \r\n")) == card)
  }

  @Test(arguments: [
    ("coder = ", "coder = Doc", "line 2: coder is a name"), ("coder = ", "coder = a/b", "line 2: coder is a name"),
    ("coder = ", "", "the line coder = NAME is missing"), ("coder = ", "coder", "line 2: the line is no setting"),
    ("coder = ", "coder = a\ncoder = a", "line 3: coder is there twice"),
    ("program = ", "program = easel-doc", "line 3: program is a path that begins with /"),
    ("program = ", "", "the line program = PATH is missing"),
    ("format = application/x-doc ", "format = application/x-doc", "line 5: format is a MIME type"),
    ("format = application/x-doc ", "format = Doc/X doc", "line 5: format is a MIME type"),
    ("format = application/x-doc ", "format = a/b .doc", "line 5: an extension has no dot"),
    ("drawing = ", "drawing = true", "line 9: drawing is yes or no"),
    ("memory", "memory-mib = -1", "line 11: memory-mib is a whole number from 0 to 65536"),
    ("memory", "memory-mib = 1e3", "line 11: memory-mib is a whole number"),
    ("memory", "arguments = --fast", "line 11: there is no arguments; the names are coder, program"),
    ("signature = 2", "signature = x \"zip\"", "line 8: a signature begins with a place"),
    ("signature = 2", "signature = 5-2 \"zip\"", "line 8: a signature begins with a place"),
    ("signature = 2", "signature = 2 \"zip", "line 8: a quote is not closed"),
    ("signature = 2", "signature = 2 \"\"", "line 8: the place 2 needs bytes"),
    ("signature = 2", "signature = 2 abc", "line 8: the place 2 needs bytes"),
    ("signature = 2", "signature = 2", "line 8: the place 2 needs bytes"),
    ("signature = 2", "signature =", "line 8: a signature needs a place"),
    ("signature = 2", "signature = 254 \"zip\"", "line 8: a signature must be in the first 256 bytes"),
    (
      "signature = 2", "signature = 0-9223372036854775807 \"zip\"", "line 8: a signature must be in the first 256 bytes"
    ),
  ])
  func aMistakeIsNamedWithItsLine(_ beginning: String, _ line: String, _ mistake: String) {
    let lines = Self.text.split(separator: "\n", omittingEmptySubsequences: false)
    let text = lines.map { $0.hasPrefix(beginning) ? line : String($0) }.joined(separator: "\n")
    let error = #expect(throws: HelperCard.Mistake.self) { try HelperCard(text) }
    #expect(error?.message.hasPrefix(mistake) == true, "\(error?.message as Any)")
  }

  @Test func aCardNeedsAFormatAndASignature() {
    for name in ["format", "signature"] {
      let lines = Self.text.split(separator: "\n").filter { !$0.hasPrefix(name) }
      let error = #expect(throws: HelperCard.Mistake.self) { try HelperCard(lines.joined(separator: "\n")) }
      #expect(error?.message.contains("a line \(name) = ") == true)
    }
  }

  @Test func allMarksOfOneSignatureMustBeThere() throws {
    let coder = HelperCoder(card: try HelperCard(Self.text))
    func knows(_ text: String, _ more: [UInt8] = []) -> Bool { coder.canDecode(prefix: Array(text.utf8) + more) }
    #expect(knows("DOC 1....", [0, 255]) && knows("....DOC 1", [0, 255, 3]) && knows("..zip"))
    #expect(!knows("DOC 1....", [0, 254]) && !knows("DOC 1....", [0]) && !knows(".....DOC1", [0, 255]))
    #expect(!knows("") && !knows("..zi") && !knows("zip"))
  }

  @Test func theRestOfEaselReadsTheCard() throws {
    let coder = HelperCoder(card: try HelperCard(Self.text))
    #expect(coder.cards.map(\.name) == ["doc", "docz"])
    #expect(coder.cards.allSatisfy { !$0.isTrusted && $0.cost.decoding == 40 && $0.cost.decoderBytes.whole == 8 })
    #expect(coder.fileExtensions(of: coder.formats[0]) == ["doc", "dox"] && coder.fileExtensions(of: .png).isEmpty)
    #expect(coder.drawsLarger(coder.formats[0]) && coder.startsThreads && coder.staysInSandbox)
    var limits = Limits()
    limits.framePixels = 1 << 20
    #expect(coder.memoryBytes(forFileOf: 1000, limits: limits) == 64 << 20 + 4000 + 8 << 20)
    limits.framePixels = .max
    #expect(coder.memoryBytes(forFileOf: .max, limits: limits).map { $0 > 1 << 40 } == true)
    #expect(throws: ImageError.self) { try coder.probe(ImageBytes([1]), work: WorkContext()) }
  }
}
