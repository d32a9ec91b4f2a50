import edu.stanford.nlp.ling.CoreAnnotations;
import edu.stanford.nlp.ling.CoreLabel;
import edu.stanford.nlp.ling.IndexedWord;
import edu.stanford.nlp.pipeline.Annotation;
import edu.stanford.nlp.pipeline.ParserAnnotator;
import edu.stanford.nlp.process.Morphology;
import edu.stanford.nlp.scenegraph.RuleBasedParser;
import edu.stanford.nlp.scenegraph.SceneGraph;
import edu.stanford.nlp.scenegraph.SceneGraphAttribute;
import edu.stanford.nlp.scenegraph.SceneGraphNode;
import edu.stanford.nlp.scenegraph.SceneGraphRelation;
import edu.stanford.nlp.scenegraph.SemanticGraphEnhancer;
import edu.stanford.nlp.semgraph.SemanticGraph;
import edu.stanford.nlp.semgraph.SemanticGraphCoreAnnotations;
import edu.stanford.nlp.semgraph.SemanticGraphEdge;
import edu.stanford.nlp.trees.TreeCoreAnnotations;
import edu.stanford.nlp.util.ArrayCoreMap;
import edu.stanford.nlp.util.CoreMap;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

/**
 * Reads a sentence a line, its words separated by tabs; writes a line of JSON for each, in the same order:
 *
 * <pre>{"tags": ["DT", …], "roots": [1], "dependencies": [[governor, "nsubj", dependent], …],
 *  "nodes": [[word, [attribute, …]], …], "relations": [[subject, "label", object], …]}</pre>
 *
 * or {"problem": "why there is no graph"}. Words are named by their place, from 0; the dependencies are those that the
 * scene graph was read from. Arguments: the seconds and the words that a sentence may have.
 */
public class Feeder {
  private final RuleBasedParser sceneGraphs = new RuleBasedParser();
  private final Morphology morphology = new Morphology();
  private final ParserAnnotator parser;
  private final int mostWords;

  private Feeder(long seconds, int mostWords) {
    Properties properties = new Properties();
    properties.setProperty("parse.maxtime", Long.toString(1000 * seconds));
    this.parser = new ParserAnnotator("parse", properties);
    this.mostWords = mostWords;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    System.setOut(System.err); // whatever a library prints is no answer
    Feeder feeder = new Feeder(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1]));
    BufferedReader sentences = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = sentences.readLine(); line != null; line = sentences.readLine()) {
      answers.print(feeder.answer(line.split("\t", -1)) + "\n");
      if (answers.checkError()) { // it also flushes
        break; // nobody listens any more: the sentences still in the pipe are for nobody
      }
    }
    System.exit(0); // a sentence that was given up may still have its thread
  }

  private String answer(String[] words) {
    if (words.length > mostWords) {
      return problem("it has " + words.length + " words, and at most " + mostWords + " are parsed");
    }
    try {
      CoreMap sentence = sentence(words);
      parser.annotate(annotation(sentence));
      if (sentence.get(TreeCoreAnnotations.TreeAnnotation.class).label().value().equals("X")) {
        return problem("it found no parse, or not in time");
      }
      return graph(sentence);
    } catch (RuntimeException | StackOverflowError error) {
      return problem(error.toString());
    }
  }

  private static CoreMap sentence(String[] words) {
    List<CoreLabel> tokens = new ArrayList<>();
    for (String word : words) {
      CoreLabel token = CoreLabel.wordFromString(word);
      token.setOriginalText(word);
      token.setIndex(tokens.size() + 1);
      token.setSentIndex(0);
      tokens.add(token);
    }
    CoreMap sentence = new ArrayCoreMap();
    sentence.set(CoreAnnotations.TokensAnnotation.class, tokens);
    sentence.set(CoreAnnotations.SentenceIndexAnnotation.class, 0);
    return sentence;
  }

  private static Annotation annotation(CoreMap sentence) {
    Annotation annotation = new Annotation("");
    annotation.set(CoreAnnotations.TokensAnnotation.class, sentence.get(CoreAnnotations.TokensAnnotation.class));
    annotation.set(CoreAnnotations.SentencesAnnotation.class, Collections.singletonList(sentence));
    return annotation;
  }

  private String graph(CoreMap sentence) {
    List<CoreLabel> tokens = sentence.get(CoreAnnotations.TokensAnnotation.class);
    List<String> tags = new ArrayList<>();
    for (CoreLabel token : tokens) {
      tags.add(quoted(token.tag()));
    }
    SemanticGraph dependencies =
        sentence.get(SemanticGraphCoreAnnotations.CollapsedCCProcessedDependenciesAnnotation.class);
    for (IndexedWord word : dependencies.vertexSet()) {
      word.setLemma(morphology.lemma(word.word(), word.tag()));
    }
    hidePlurals(dependencies);
    SceneGraph scene = sceneGraphs.parse(dependencies);
    return "{\"tags\": " + tags + ", \"roots\": " + roots(dependencies) + ", \"dependencies\": " + edges(dependencies)
        + ", \"nodes\": " + nodes(scene) + ", \"relations\": " + relations(scene) + "}";
  }

  /**
   * Nouns in the plural pass for singular ones, so that Stanford's rules do not multiply them. What has to know their
   * number is done first; the rules do it again, and pronouns that found no noun must not find one then.
   */
  private static void hidePlurals(SemanticGraph dependencies) {
    SemanticGraphEnhancer.processQuanftificationModifiers(dependencies);
    SemanticGraphEnhancer.resolvePronouns(dependencies);
    for (IndexedWord word : dependencies.vertexSet()) {
      if (word.tag().matches("NNP?S")) {
        word.setTag(word.tag().substring(0, word.tag().length() - 1));
      } else if (word.tag().startsWith("PRP")) {
        word.setTag("DT");
      }
    }
  }

  private static String roots(SemanticGraph dependencies) {
    TreeSet<Integer> roots = new TreeSet<>();
    for (IndexedWord root : dependencies.getRoots()) {
      roots.add(place(root));
    }
    return roots.toString();
  }

  private static String edges(SemanticGraph dependencies) {
    List<String> edges = new ArrayList<>();
    for (SemanticGraphEdge edge : dependencies.edgeListSorted()) {
      String relation = quoted(edge.getRelation().toString());
      edges.add("[" + place(edge.getGovernor()) + ", " + relation + ", " + place(edge.getDependent()) + "]");
    }
    return edges.toString();
  }

  private static String nodes(SceneGraph scene) {
    List<String> nodes = new ArrayList<>();
    for (SceneGraphNode node : scene.nodeListSorted()) {
      TreeSet<Integer> attributes = new TreeSet<>();
      for (SceneGraphAttribute attribute : node.getAttributes()) {
        attributes.add(place(attribute.value()));
      }
      nodes.add("[" + place(node.value()) + ", " + attributes + "]");
    }
    return nodes.toString();
  }

  private static String relations(SceneGraph scene) {
    List<String> relations = new ArrayList<>();
    for (SceneGraphRelation relation : scene.relationListSorted()) {
      String label = quoted(relation.getRelation());
      relations.add("[" + place(relation.getSource().value()) + ", " + label + ", "
          + place(relation.getTarget().value()) + "]");
    }
    return relations.toString();
  }

  private static int place(IndexedWord word) {
    return word.index() - 1;
  }

  private static String problem(String why) {
    return "{\"problem\": " + quoted(why) + "}";
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter == '"' || letter == '\\') {
        quoted.append('\\').append(letter);
      } else if (letter < ' ') {
        quoted.append(String.format("\\u%04x", (int) letter));
      } else {
        quoted.append(letter);
      }
    }
    return quoted.append('"').toString();
  }
}
