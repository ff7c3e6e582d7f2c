import EaselCore
import EaselEverything
import EaselFormats
import Testing

/// The promises of cards to all who read them: costs, metrics, the sandbox, tables and fuzzing.
struct FormatCardTests {
  private static let coders = CoderRegistry.everything
  private static let cards = FormatCards(coders)

  @Test func eachFormatHasACard() {
    #expect(Self.cards.all.map(\.format) == Self.coders.formats)
    for coder in Self.coders.coders {
      let own = FormatCards.cards(of: coder)
      #expect(own.map(\.format) == coder.formats, "\(coder.identifier)")
      #expect(Self.cards.card(ofCoder: coder.identifier)?.format == coder.formats.first)
      for card in own { #expect(coder.usualExtensions(of: card.format) == card.fileExtensions) }
    }
  }

  @Test func namesAndExtensionsBelongToOneFormat() {
    let names = FormatNames(Self.coders)
    #expect(Set(Self.cards.all.map(\.name)).count == Self.cards.all.count)
    let extensions = Self.cards.all.flatMap(\.fileExtensions)
    #expect(Set(extensions).count == extensions.count && extensions.allSatisfy { $0 == $0.lowercased() })
    for card in Self.cards.all {
      #expect(names.name(of: card.format) == card.name && !card.fileExtensions.isEmpty)
      #expect(names.format(named: card.name) == card.format)
    }
  }

  @Test func eachCoderKnowsItsSampleAndNoOtherDoes() throws {
    let picture = Image(try Bitmap(size: PixelSize(width: 9, height: 7), format: .opaqueRGBA8))
    for coder in Self.coders.coders {
      for card in FormatCards.cards(of: coder) {
        let sample: ImageBytes
        if let stored = card.sample {
          sample = ImageBytes(stored)
        } else {
          let encoder = try #require(coder.capability((any EncodingCoder).self))
          sample = try encoder.encode(picture, as: card.format, options: EncodeOptions(), work: WorkContext())
        }
        #expect(try Self.coders.format(of: sample) == card.format)
        #expect(try coder.decode(sample, options: DecodeOptions(), work: WorkContext()).format == card.format)
        let prefix = try sample.prefix(CoderRegistry.sniffLength)
        let others = Self.coders.coders.filter { $0.identifier != coder.identifier && $0.canDecode(prefix: prefix) }
        #expect(others.map(\.identifier) == [], "\(card.name)")
      }
    }
  }

  @Test func aFormatWithoutACardCostsMoreThanMost() {
    let unknown = ImageFormat(mimeType: "image/x-plugin")
    #expect(Self.cards[unknown] == nil && Self.cards.card(ofCoder: "plugin") == nil)
    #expect(Self.cards.cost(of: unknown).decoding > Self.cards.cost(of: .png).decoding)
    #expect(FormatCards().all.isEmpty)
  }
}
