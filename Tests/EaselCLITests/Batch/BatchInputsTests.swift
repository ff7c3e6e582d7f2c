import Easel
import Foundation
import Testing

@testable import EaselCLI

/// The inputs that words and folders give, and their names.
struct BatchInputsTests {
  private func tree(_ names: [String], _ body: (Scratch) throws -> Void) throws {
    try Scratch.with { scratch in
      for name in names {
        let file = scratch.url(name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Pictures.png(2, 2).write(to: file)
      }
      try body(scratch)
    }
  }

  @Test func foldersAreReadInOrderAndWhatIsNoPictureIsLeftOut() throws {
    let names = ["b.png", "a.JPG", "sub/deep/d.webp", "sub/c.gif", ".hidden.png", ".git/x.png", "notes.txt", "noext"]
    try tree(names) { scratch in
      let root = scratch.directory.path
      try FileManager.default.createSymbolicLink(atPath: scratch.path("sub/loop"), withDestinationPath: root)
      try FileManager.default.createSymbolicLink(atPath: scratch.path("z.png"), withDestinationPath: "b.png")
      let found = Array(BatchInputs(words: [root], recurses: true))
      #expect(
        found.map { String($0.word.dropFirst(root.count + 1)) } == [
          "a.JPG", "b.png", "sub/c.gif", "sub/deep/d.webp", "z.png",
        ])
      #expect(found.map(\.subfolder) == ["", "", "sub", "sub/deep", ""])
      #expect(found.map(\.index) == [1, 2, 3, 4, 5] && found.allSatisfy(\.isFound))
    }
  }

  @Test func theFolderOfTheResultsIsNoInput() throws {
    try tree(["a.png", "out/a.png"]) { scratch in
      let root = scratch.directory.path
      let found = BatchInputs(words: [root], recurses: true, resultFolder: scratch.path("out"))
      #expect(found.map(\.word) == [scratch.path("a.png")])
      // Unless it is named.
      let named = BatchInputs(words: [scratch.path("out")], recurses: true, resultFolder: scratch.path("out"))
      #expect(named.map(\.word) == [scratch.path("out/a.png")])
      // It may also come while the folder is read.
      var late = FolderWalk(root, leavingOut: scratch.path("later"))
      #expect(late.next()?.word == scratch.path("a.png"))
      try FileManager.default.createSymbolicLink(atPath: scratch.path("later"), withDestinationPath: "out")
      #expect(late.next() == nil)
    }
  }

  @Test func aFolderNeedsToBeAskedFor() throws {
    try tree(["a.png"]) { scratch in
      let found = Array(BatchInputs(words: [scratch.directory.path, "b.png"]))
      #expect(found.count == 2 && found[0].problem?.message.contains("is a folder. Give -r") == true)
      #expect(found[1].problem == nil && found[1].index == 2)
    }
  }

  @Test func namesAreNumberedWithinAFolder() throws {
    try tree(["a.png", "a.gif", "sub/a.png"]) { scratch in
      let found = BatchInputs(words: [scratch.directory.path], recurses: true, numbersNames: true)
      #expect(found.map { "\($0.subfolder) \($0.values.name)" } == [" a", " a-2", "sub a"])
    }
  }

  @Test func twoInputsForOneFileAreFoundBeforeTheWork() throws {
    try tree(["x/a.png", "y/a.png", "x/a.jpg"]) { scratch in
      func check(_ pattern: String, _ words: [String], _ format: ImageFormat? = nil) throws {
        let inputs = BatchInputs(words: words.map(scratch.path), recurses: true)
        _ = try BatchPlan(inputs: inputs, pattern: try OutputPattern(pattern), format: format).check()
      }
      let error = try #require(throws: UsageError.self) { try check("out/{name}.webp", ["x/a.png", "y/a.png"], .webp) }
      #expect(error.message.contains("x/a.png and ") && error.message.contains("would be written to out/a.webp"))
      #expect(throws: UsageError.self) { try check("out/{name}-{width}.webp", ["x/a.png", "y/a.png"], .webp) }
      // All three files hold PNG, so their own format gives two the same name.
      #expect(throws: UsageError.self) { try check("{sub}/{name}.{ext}", ["x"]) }
      #expect(throws: UsageError.self) { try check("{name}.{ext}", ["x/a.png", "y/a.png"]) }
      try check("out/{dir}/{name}.webp", ["x/a.png", "y/a.png"], .webp)
      try check("{index}.webp", ["x", "y"], .webp)
      try check("{name}.webp", ["x/a.png"], .webp)
    }
  }

  @Test func formatsOfURLsAreNotKnownBefore() throws {
    let pattern = try OutputPattern("{name}.{ext}")
    let inputs = BatchInputs(words: ["http://host/a.png", "http://other/a.jpg"])
    #expect(throws: UsageError.self) { try BatchPlan(inputs: inputs, pattern: pattern, format: nil).check() }
    let apart = BatchInputs(words: ["http://host/a.png", "http://other/b.png"])
    #expect(try BatchPlan(inputs: apart, pattern: pattern, format: nil).check() == 2)
  }

  @Test func aPictureThatWouldBecomeItselfDisturbsNobody() throws {
    try tree(["a.png", "b.png"]) { scratch in
      let inputs = BatchInputs(words: [scratch.directory.path], recurses: true)
      let pattern = try OutputPattern("{dir}/{name}.png")
      #expect(try BatchPlan(inputs: inputs, pattern: pattern, format: .png).check() == 2)
      #expect(BatchPlan.isItself(Array(inputs)[0], scratch.path("a.png")))
    }
  }
}
