import EaselEverything
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// The names of files that are no pictures.
struct ForeignContentTests {
  @Test(arguments: [
    ("%PDF-1.7\n%\u{1}", "a PDF document"),
    ("PK\u{3}\u{4}\u{14}", "an archive or a document of an office program (ZIP)"),
    ("\n  <!DOCTYPE html><html>", "a web page (HTML)"), ("<?xml version='1.0'?><rss/>", "a document in XML"),
    ("#!/bin/sh\n", "a script"), ("{\"a\": 1}", "a text, perhaps JSON"), ("Zwölf Boxkämpfer", "a text"),
    ("\u{0}\u{0}\u{0}\u{20}ftypisom", "a video or a sound (MP4, QuickTime)"), ("RIFF....AVI LIST", "a video (AVI)"),
    ("8BPS\u{0}\u{1}", "a Photoshop document"), ("version https://git-lfs.github.com/spec/v1", "a pointer of Git LFS"),
  ])
  func names(_ text: String, _ name: String) throws {
    #expect(try #require(ForeignContent.name(of: Array(text.utf8))).hasPrefix(name))
  }

  @Test func whatTellsNothingHasNoName() {
    #expect(ForeignContent.name(of: []) == nil && ForeignContent.name(of: [32, 10]) == nil)
    #expect(ForeignContent.name(of: [0xFF, 0xFF, 0xFF]) == nil && ForeignContent.name(of: [1, 2, 3]) == nil)
    // A character may be cut by the end.
    #expect(ForeignContent.name(of: Array("aä".utf8.dropLast())) == "a text")
  }

  @Test func noPictureIsTakenForSomethingElse() throws {
    let reader = InputReader()
    let image = Image(try Pictures.bitmap(8, 8))
    for format in CoderRegistry.program.formats where CoderRegistry.program.canEncode(format) {
      try Scratch.with { scratch in
        let bytes = try CoderRegistry.program.encode(image, as: format, options: EncodeOptions(), work: WorkContext())
        let path = try scratch.write(try bytes.data(), "a")
        #expect(try reader.bytes(of: path).count == bytes.count, "\(format)")
      }
    }
  }
}

/// Files that are no pictures, and folders, given to each command.
@Suite(.tags(.alone))
struct ForeignInputTests {
  @Test(arguments: [
    ["info"], ["decode", "-o", "/dev/null"], ["convert", "--format", "png", "-o", "/dev/null"],
    ["view"], ["diff", "a.png"], ["optimize"],
  ])
  func everyCommandSaysWhatItIs(_ command: [String]) throws {
    try Scratch.with { scratch in
      let path = try scratch.write(Data("%PDF-1.7\n".utf8), "paper.jpg")
      let picture = try scratch.write(try Pictures.png(2, 2), "a.png")
      let words = command.map { $0 == "a.png" ? picture : $0 }
      let outcome = try EaselProcess.run(words + [path])
      #expect(outcome.status == (command[0] == "diff" ? 2 : 1))
      #expect(
        outcome.errors == "easel: \(path): This seems to be a PDF document, which Easel does not read. "
          + "'easel formats' lists what it reads.\n")
      let folder = try EaselProcess.run(words + [scratch.directory.path])
      #expect(folder.errors.contains("\(scratch.directory.path) is a folder"), "\(folder.errors)")
    }
  }
}
