import EaselCore
import EaselTestSupport
import Testing

@testable import EaselHEIF

struct ContractTests {
  private typealias T = HEIFTesting

  private var samples: [ImageSample] {
    func sample(_ name: String, _ builder: HEIFBuilder) -> ImageSample {
      // The brand after the signature follows in the list of brands as well.
      ImageSample(name, bytes: builder.bytes, signature: [4..<8])
    }
    var alpha = T.single()
    alpha.add(.halves, as: 2, claiming: (64, 64), HEIFBuilder.auxiliary(HEIFBuilder.alphaName))
    alpha.references.append(("auxl", 2, [1]))
    var large = HEIFBuilder()
    large.addGrid(9, 9, of: (576, 576), cells: Array(repeating: 2, count: 81), as: 1)
    large.add(.quarters, as: 2)
    var described = T.grid(90, 120)
    described.add("Exif", HEIFBuilder.number(0, 4) + Array("MM\0*\0\0\0\u{8}\0\0".utf8), as: 4)
    described.references.append(("cdsc", 4, [1]))
    return [
      sample("one piece", T.single()), sample("ten bits", T.single(.quartersTenBits)),
      sample("grey", T.single(.halves)),
      sample("alpha", alpha), sample("turned", T.single(.quarters, HEIFBuilder.turn(3))),
      sample("mirrored", T.single(.quarters, HEIFBuilder.mirror(0))), sample("a grid", described),
      sample("a large grid", large),
      ImageSample(
        "a sequence", bytes: HEIFBuilder.sequence([.quarters, .orange, .quarters], delays: [40, 80, 40]),
        signature: [4..<8]),
      ImageSample(
        "a sequence with alpha", bytes: HEIFBuilder.sequence([.quarters, .orange], alphas: [.halves, .halves]),
        signature: [4..<8]),
    ]
  }

  @Test func theCoderKeepsItsContract() async {
    let violations = await ImageCoderContract(HEIFCoder(), samples: samples).check()
    #expect(violations.isEmpty, "\(violations)")
  }
}
