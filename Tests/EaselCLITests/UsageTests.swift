import EaselFormats
import EaselTestTags
import Foundation
import Testing

@testable import EaselCLI

/// The output and status of the program for wrong command lines and for requests for help.
@Suite(.tags(.alone))
struct UsageTests {
  private static let wrongLines: [[String]] = [
    [], ["inof", "x"], ["--jsno"], ["info"], ["info", "--jsno", "x"], ["decode", "x"], ["decode", "-o", "y"],
    ["decode", "x", "y", "-o", "z"], ["decode", "x", "-o", "y", "--frame", "-1"],
    ["decode", "x", "-o", "y", "--frame", "1", "--frames"], ["decode", "x", "-o", "y", "--thumbnail", "big"],
    ["decode", "x", "-o", "y", "--chunk", "0"], ["decode", "x", "-o", "y", "--repeat", "0"],
    ["info", "x", "--max-pixels", "0"], ["convert", "x"], ["convert", "x", "-o", "y"],
    ["convert", "x", "-o", "y.heic"], ["convert", "x", "z", "-o", "y.png"], ["convert", "x", "z", "-o", "-"],
    ["convert", "x", "-o", "{what}.png"], ["convert", "x", "-o", "{name}"], ["convert", "x", "-o", "{name"],
    ["convert", "x", "-o", "y.png", "--skip", "--newer"], ["convert", "x", "-o", "y.png", "--jobs", "0"],
    ["convert", "x", "-o", "y.png", "--config", "/nowhere"], ["optimize"], ["optimize", "x", "--min-ssim", "2"],
    ["montage"], ["montage", "x"], ["montage", "x", "-o", "y"], ["montage", "x", "-o", "y.png", "--size", "5x"],
    ["montage", "-r", "x", "-o", "y.png", "--columns", "0"], ["watch"], ["watch", "x", "-o", "y"], ["watch", "/proc"],
    ["convert", "x", "-o", "y.png", "--mode", "stretch", "--resize", "3"],
    ["convert", "x", "-o", "y.png", "--mode", "fit"], ["convert", "x", "-o", "y.png", "--gravity", "north"],
    ["convert", "x", "-o", "y.png", "--quality", "101"], ["convert", "x", "-o", "y.png", "--quality", "1.5"],
    ["convert", "x", "-o", "y.png", "--crop", "1,2,3"],
    ["convert", "x", "-o", "y.png", "--crop", "0,0,0,5"], ["convert", "x", "-o", "y.png", "--flip", "sideways"],
    ["convert", "x", "-o", "y.png", "--rotate", "left"], ["convert", "x", "-o", "y.png", "--transform", "Blurr(1)"],
    ["convert", "x", "-o", "y.png", "--background", "reddish"], ["convert", "x", "-o", "y.png", "--format", "heic"],
    ["thumb", "x", "--dir", "y", "--fidelity", "slow"], ["convert", "x", "-o", "y.png", "--fidelity", "exact"],
    ["thumb", "x"], ["thumb", "x", "--dir", "y", "--jobs", "0"], ["formats", "x"], ["cache"], ["cache", "shrink"],
    ["cache", "remove"], ["cache", "list", "x"], ["cache", "stat", "--max-bytes", "5"], ["get"],
    ["get", "x", "--header", "novalue"], ["get", "x", "--header", "A: b\nC: d"], ["get", "x", "--policy", "never"],
    ["get", "x", "--cache", "y", "--no-cache"], ["get", "x", "--no-cache", "--refresh"],
    ["get", "x", "--data-only", "--thumbnail", "5"], ["help", "nothing"],
  ]

  @Test func wrongUsage() throws {
    for (words, outcome) in zip(Self.wrongLines, try EaselProcess.runEach(Self.wrongLines)) {
      #expect(outcome.status == 2 && !outcome.wasKilled, "\(words)")
      #expect(outcome.output.isEmpty, "Only results go to standard output: \(words)")
      #expect(!outcome.errors.isEmpty, "\(words)")
    }
  }

  @Test func typingErrorsAreGuessed() throws {
    #expect(try EaselProcess.run(["convrt"]).errors.contains("Did you mean convert?"))
    #expect(try EaselProcess.run(["info", "--jsno"]).errors.contains("Did you mean --json?"))
    #expect(try EaselProcess.run(["cache", "sats"]).errors.contains("Did you mean stat?"))
  }

  @Test func everyCommandExplainsItself() throws {
    let program = try EaselProcess.run(["--help"])
    #expect(program.status == 0 && program.errors.isEmpty)
    let names = Program.commands.map { $0.description.name }
    let helps = try EaselProcess.runEach(names.map { [$0, "--help"] })
    let sames = try EaselProcess.runEach(names.map { ["help", $0] })
    for (index, command) in Program.commands.enumerated() {
      let (description, help) = (command.description, helps[index])
      #expect(program.text.contains("\n  \(description.name) "))
      #expect(help.status == 0 && help.errors.isEmpty)
      #expect(help.text.contains("usage: easel \(description.name)"))
      for option in description.allOptions { #expect(help.text.contains(HelpText.spelling(option))) }
      for example in description.examples { #expect(help.text.contains(example.line)) }
      #expect(sames[index].text == help.text)
    }
  }

  @Test func examplesAreRight() throws {
    for command in Program.commands {
      #expect(!command.description.examples.isEmpty)
      for example in command.description.examples {
        // Quoting is the shell's task; only the options are checked.
        let words = example.line.split(separator: " ").map(String.init)
        let known = command.description.allOptions
        let start = try #require(words.firstIndex(of: "easel"))
        #expect(words[start + 1] == command.description.name)
        for word in words[start...] where word.hasPrefix("--") && word != "--" {
          #expect(known.contains { $0.spelling == word }, "\(example.line)")
        }
      }
    }
  }

  @Test func optionsAreDescribedOnce() {
    for command in Program.commands {
      let options = command.description.allOptions
      #expect(Set(options.map(\.name)).count == options.count)
      let letters = options.compactMap(\.letter)
      #expect(Set(letters).count == letters.count)
      for option in options {
        #expect(option.help.hasSuffix(".") && option.help.first?.isUppercase == true, "\(option.spelling)")
      }
    }
  }

  @Test func version() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../VERSION")
    #expect(try Data(contentsOf: root) == Data("\(Program.version)\n".utf8))
    let lines = try EaselProcess.run(["--version"]).lines
    #expect(lines.first == "easel \(Program.version)")
    let said = try EaselProcess.run(["--version", "--json"]).object()
    #expect(said["version"] as? String == Program.version)
    let libraries = try #require(said["libraries"] as? [[String: Any]])
    let names = Set(libraries.compactMap { $0["name"] as? String })
    let usual = [
      "libdeflate", "zlib", "libjpeg-turbo", "giflib", "libwebp", "libavif", "dav1d", "libde265", "libjxl", "libtiff",
      "lcms2",
      "curl", "brotli", "zstd", "SQLite",
    ]
    #expect(names.isSuperset(of: usual))
    for library in libraries {
      let (name, version) = (library["name"] as? String ?? "", library["version"] as? String ?? "")
      #expect(version.first?.isNumber == true && version.contains("."), "\(name) \(version)")
      #expect(lines.contains { $0.hasPrefix("  \(name) ") && $0.contains("  \(version)") })
    }
    #expect(try EaselProcess.run(["--version", "--jsno"]).status == 2)
  }

  @Test func versionsOfLibrariesAreRead() {
    #expect(LibraryVersion.number(in: "LIBTIFF, Version 4.5.0\nCopyright (c) 1988-1996") == "4.5.0")
    #expect(LibraryVersion.number(in: "1.6.39") == "1.6.39" && LibraryVersion.number(in: "unknown") == "unknown")
    #expect(LibraryVersion.lcms(2140) == "2.14" && LibraryVersion.lcms(2091) == "2.9.1")
  }
}
