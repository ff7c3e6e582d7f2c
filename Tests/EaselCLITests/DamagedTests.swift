import Easel
import EaselTestTags
import Foundation
import Testing

/// What the commands do with pictures whose files are damaged.
@Suite(.tags(.alone))
struct DamagedTests {
  private static let note = "JPEG: the end marker is missing."

  private static func jpeg() throws -> Data {
    let picture = Image(try Pictures.bitmap(400, 300))
    return try JPEGCoder().encode(picture, as: .jpeg, options: EncodeOptions(), work: WorkContext()).data()
  }

  @Test func withoutAnEndAPictureIsAPicture() throws {
    try Scratch.with { scratch in
      let whole = try scratch.write(Self.jpeg(), "whole.jpg")
      let path = try scratch.write(Self.jpeg().dropLast(2), "a.jpg")
      let made = scratch.path("made.png")
      for arguments in [
        ["convert", path, "-o", made, "--overwrite"], ["thumb", path, "--dir", scratch.path("thumbs"), "--overwrite"],
        ["diff", path, whole],
        ["decode", path, "-o", made, "--overwrite"], ["view", path], ["get", "--no-cache", path],
      ] {
        #expect(try EaselProcess.run(arguments).status == 0, "\(arguments)")
        #expect(try EaselProcess.run(arguments + ["--damaged", "show"]).status == 0, "\(arguments)")
        let refused = try EaselProcess.run(arguments + ["--damaged", "refuse"])
        #expect(refused.status != 0 && refused.errors.contains("the end marker is missing"), "\(arguments)")
      }
    }
  }

  @Test func aPartIsShownOnlyOnRequest() throws {
    try Scratch.with { scratch in
      let whole = try Self.jpeg()
      let path = try scratch.write(whole.prefix(whole.count * 3 / 4), "a.jpg")
      let made = scratch.path("made.png")
      for arguments in [
        ["convert", path, "-o", made, "--overwrite"], ["thumb", path, "--dir", scratch.path("thumbs"), "--overwrite"],
        ["decode", path, "-o", made, "--overwrite"], ["view", path], ["get", "--no-cache", path],
      ] {
        #expect(try EaselProcess.run(arguments).status == 1, "\(arguments)")
        #expect(try EaselProcess.run(arguments + ["--damaged", "whole"]).status == 1, "\(arguments)")
        #expect(try EaselProcess.run(arguments + ["--damaged", "show"]).status == 0, "\(arguments)")
      }
      #expect(try EaselProcess.run(["convert", path, "-o", made, "--damaged", "all"]).status == 2)
    }
  }

  @Test func infoTellsWhatIsMissing() throws {
    let whole = try Self.jpeg()
    let text = try EaselProcess.run(["info", "-"], input: whole.dropLast(2)).text
    #expect(text.contains("\n  \(Self.note)"))
    let info = try EaselProcess.run(["info", "--json", "-"], input: whole.dropLast(2)).object()
    #expect(info["notes"] as? [String] == [Self.note] && info["partial"] == nil)
    #expect(try EaselProcess.run(["info", "--json", "-"], input: whole).object()["notes"] == nil)
    // Only reading the pixels tells that some are missing.
    let cut = whole.prefix(whole.count * 3 / 4)
    #expect(try EaselProcess.run(["info", "-"], input: cut).status == 0)
    #expect(try EaselProcess.run(["info", "--damaged", "whole", "-"], input: cut).status == 1)
    #expect(try EaselProcess.run(["info", "--placeholder", "-"], input: cut).status == 1)
    let part = try EaselProcess.run(["info", "--json", "--placeholder", "--damaged", "show", "-"], input: cut).object()
    #expect(part["partial"] as? Bool == true && (part["notes"] as? [String])?.count == 2)
    #expect(part["thumbHash"] as? String != nil)
    #expect(try EaselProcess.run(["info", "--damaged", "refuse", "-"], input: whole).status == 0)
    #expect(try EaselProcess.run(["info", "--damaged", "refuse", "-"], input: whole.dropLast(2)).status == 1)
  }

  @Test func aKeyOfACacheIsReadBack() throws {
    try Scratch.with { scratch in
      let path = try scratch.write(Self.jpeg().dropLast(2), "a.jpg")
      let arguments = ["convert", path, "-o", scratch.path("made.png"), "--overwrite", "--transform"]
      #expect(try EaselProcess.run(arguments + ["Partial(1)-Resize({3,3},0)"]).status == 0)
      #expect(try EaselProcess.run(arguments + ["Damaged(refuse)-Resize({3,3},0)"]).status == 1)
      #expect(try EaselProcess.run(arguments + ["Damaged(refuse)", "--damaged", "whole"]).status == 0)
    }
  }
}
