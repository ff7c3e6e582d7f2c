import FoundationEssentials
import Glibc
import Testing

@testable import EaselHelpers

/// Which files are cards, and which are refused because others may write them.
struct HelperCardsTests {
  @Test func cardsAreReadInTheOrderOfTheirNames() throws {
    try CardFolder.with { folder in
      try folder.write("b.card", coder: "second")
      try folder.write("a.card", coder: "first")
      try folder.write("a.card~", coder: "third")
      try folder.write(".hidden.card", coder: "fourth")
      try folder.write("README", coder: "fifth")
      let cards = HelperCards(directories: ["/no/such/directory", folder.path])
      #expect(cards.cards.map(\.coder) == ["first", "second"] && cards.mistakes.isEmpty)
    }
  }

  @Test func theFirstCardOfACoderCounts() throws {
    try CardFolder.with { folder in
      try folder.write("a.card", coder: "doc")
      try folder.write("b.card", coder: "doc")
      let cards = HelperCards(directories: [folder.path, folder.path])
      #expect(cards.cards.count == 1)
      #expect(cards.mistakes.count == 3 && cards.mistakes[0].contains("b.card is not used: the coder doc has a card"))
    }
  }

  @Test func aCardThatCannotBeReadKeepsNoOtherOut() throws {
    try CardFolder.with { folder in
      try folder.write("a.card", text: "coder = doc")
      try folder.write("b.card", text: String(repeating: "#", count: 1 << 14) + "\n")
      try folder.write("c.card", coder: "good")
      #expect(mkfifo("\(folder.path)/d.card", 0o600) == 0)
      #expect(mkdir("\(folder.path)/e.card", 0o700) == 0)
      #expect(symlink("/no/such/file", "\(folder.path)/f.card") == 0)
      try folder.write("g.card", text: "\u{FFFD}\0\n")
      let cards = HelperCards(directories: [folder.path])
      #expect(cards.cards.map(\.coder) == ["good"])
      #expect(cards.mistakes.count == 6, "\(cards.mistakes)")
    }
  }

  @Test(arguments: [0o020, 0o002]) func whatOthersMayWriteIsRefused(_ bit: Int) throws {
    let mode = mode_t(bit)
    try CardFolder.with { folder in
      try folder.write("a.card", coder: "doc")
      func mistakes() -> String {
        let cards = HelperCards(directories: [folder.path])
        #expect(cards.cards.isEmpty == !cards.mistakes.isEmpty)
        return cards.mistakes.joined()
      }
      #expect(mistakes().isEmpty)
      chmod("\(folder.path)/a.card", 0o644 | mode)
      #expect(mistakes().contains("a.card is not used: others than its owner may write it"))
      chmod("\(folder.path)/a.card", 0o644)
      chmod(folder.program, 0o755 | mode)
      #expect(mistakes().contains("its program \(folder.program): others than its owner may write it"))
      chmod(folder.program, 0o755)
      chmod(folder.path, 0o755 | mode)
      #expect(mistakes().contains("The helpers in \(folder.path) are not used: others than its owner may write it"))
      chmod(folder.path, 0o755)
      #expect(mistakes().isEmpty)
    }
  }

  @Test func aProgramMustBeThereAndRun() throws {
    try CardFolder.with { folder in
      try folder.write("a.card", coder: "doc")
      chmod(folder.program, 0o644)
      #expect(HelperCards(directories: [folder.path]).mistakes.joined().contains("cannot be run"))
      unlink(folder.program)
      #expect(HelperCards(directories: [folder.path]).mistakes.joined().contains("cannot be found"))
    }
  }
}

/// A directory with cards, and a program that they name.
struct CardFolder {
  let path: String
  var program: String { "\(path)/program" }

  static func with(_ body: (CardFolder) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "easel-helpers-\(UUID())").path
    #expect(mkdir(path, 0o755) == 0)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = CardFolder(path: path)
    try folder.write("program", text: "#!/bin/sh\n")
    chmod(folder.program, 0o755)
    try body(folder)
  }

  func write(_ name: String, text: String) throws {
    try Data(text.utf8).write(to: URL(filePath: "\(path)/\(name)"))
    chmod("\(path)/\(name)", 0o644)
  }

  func write(_ name: String, coder: String, program: String? = nil, more: String = "") throws {
    try write(
      name,
      text: """
        coder = \(coder)
        program = \(program ?? self.program)
        format = image/x-\(coder) \(coder)
        signature = 0 "EASEL-MISDEED "
        \(more)

        """)
  }
}
