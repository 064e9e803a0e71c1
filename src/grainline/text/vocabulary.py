"""Strings that are one token in every vocabulary that `budget` is an upper bound for.

Made from frequent words of permissively licensed code; the tests check every one of them against
cl100k_base and o200k_base. Words hold also after a space, punctuation also after a space, with line
ends written as U+240A and U+240D; `JOINED` are words with the one sign before them.
"""

from __future__ import annotations

WORDS = frozenset(
    """
AAA AAC ABC ACA ACC ACE ACK ACL ACT ACTION ACTIVE ADD ADMIN AGE ALL ALT ALTER AMA AMD AND ANT ANY
API APP APPLICATION ARE ARG ARRAY ART AS ASA ASC ASCII ASE ASF ASS ATT AUTH AUTO AVAILABLE Abort
About Above Abs Absolute Abstract Acc Accept Accepted Access Account Ack Action Actions Active
Actor Adapter Add Added Adding Additional Additionally Addr Address Addresses Adds Admin Adobe
Advance Advanced Africa After Again Age Agent Aggregate Ajax Album Alert Alg Algorithm Alias Alice
Alive All Alloc Allocate Allocation Allow Allowed Allows Alpha Already Also Alt Alter Altern
Alternative Alternatively Although Always America Amy Analysis Anchor And Animal Annotation
Anonymous Another Answer Any Anything Api App Append Apple Application Applications Applied Apply
Approx Apps April Arc Archive Are Area Arg Args Argument Arguments Array Arrays Art Article
Articles Artist Asia Ass Assert Assertion Assertions Assign Assigned Assignment Async Atom Atomic
Attachment Attempt Attempts Attribute Attributes Audio Aug August Australia Aut Auth Authenticate
Authentication Author Authorization Authorized Authors Auto Automatic Availability Available
Avatar Average Avg Avoid Await Awesome Axis BACK BAD BAL BAR BASE BEGIN BER BIN BLOCK BODY BOOLEAN
BREAK BSD BUF BUFFER BUG BUILD BYTE Back Backend Background Bad Bal Balance Band Bar Bars Base
Based Basic Batch Bean Beat Because Before Begin Beginning Behavior Being Below Benchmark Better
Bias Big Bin Binary Bind Binding Birthday Bit Bits Black Blank Blob Block Blocking Blog Blue
Blueprint Bob Body Book Bookmark Books Bool Boolean Bootstrap Border Both Bound Boundary Bounds
Box Brain Branch Break Bro Broken Broker Brown Browser Bucket Buf Buffer Bug Build Builder
Building Built Bulk But Button Buttons Byte Bytes CACHE CALL CASE CAST CELL CHANGE CHAR CHECK CID
CLASS CLI CLIENT CMD CODE COL COLUMN COM COMMAND COMMENT COMP CON CONF CONFIG CONNECT CONST CONT
CONTENT CONTROL COOKIE COPY COUNT CPU CRC CREATE CSS CSV CUR CURRENT CUSTOM Cache Cached Calculate
Calendar Call Callable Callback Called Calling Calls Cam Can Cancel Cannot Capture Car Card Cargo
Case Cases Cast Cat Catalog Catch Category Central Cert Certificate Chain Change Changed Changes
Changing Channel Channels Chapter Char Character Charles Charset Check Checkbox Checking Checkout
Checks Chicago Child Children Choice Choices Choose Chris Chrome Chunk Circle Circular City Claim
Class Classes Classic Clean Cleaning Cleanup Clear Cli Click Client Clients Clock Clone Close
Closed Closing Cloud Cluster Code Codec Col Coll Collect Collection Collections Collector Color
Colors Column Columns Com Combine Combined Comm Command Commands Comment Comments Commit Common
Community Comp Company Comparator Compare Comparison Compatibility Compile Compiler Comple
Complete Completed Completion Complex Component Components Composite Compression Comput Compute
Con Concrete Condition Conditional Config Configuration Configure Confirm Conflict Conn Connect
Connected Connection Connections Connector Cons Consider Const Constant Constraint Construct
Construction Constructor Consum Consumer Contact Container Contains Content Contents Context
Continue Continuous Control Controller Controllers Controls Conversion Convert Converted Converter
Cookie Coord Coordinate Coordinator Copy Copyright Cor Core Correct Could Count Counter Country
Counts County Cow Creat Create Created Creates Creating Creation Creator Credential Credentials
Critical Cross Crypto Csv Ctrl Cum Cur Current Currently Cursor Custom Customer Cycle DAL DAT DATA
DATABASE DATE DAY DEBUG DEC DEF DEFAULT DEL DELETE DEN DESC DIG DIR DISPLAY DIV DNS DOC DOM DOMAIN
DOUBLE DOWN DROP DVD Dallas Data Database Dataset Date David Day Dead Deadline Debug Dec December
Decimal Decode Decoder Decor Deep Def Default Defaults Deferred Define Defined Del Delay Delegate
Delete Deleted Deletes Delivery Delta Den Dep Department Dependencies Dependency Depending
Deprecated Der Derived Des Desc Describe Description Descriptor Deserialize Design Designer Dest
Detail Details Dev Development Device Dialog Dict Dictionary Did Diff Difference Different Digest
Dim Dimension Dimensions Dir Direct Directory Dirty Dis Disable Disabled Disc Disconnect Discover
Discovery Dispatch Display Distance Div Division Doc Docs Document Documentation Does Dog Domain
Don Done Dot Double Down Download Draft Draw Driver Drop Due Dummy Dump Duplicate Duration During
Dynamic EMAIL EMP EMPTY ENABLE END ENGINE ENT ENV EOF EOS EPS ERR ERROR EST ETA EVENT EXIT EXP EXT
Each Echo Edit Editor Effects Either Elect Elem Element Elements Else Email Embedded Emoji
Employee Empty Enable Enabled Enc Encode Encoder Encoding End Endpoint Engine English Enh Ensure
Enter Entity Entr Entries Entry Enum Enumeration Env Environment Epoch Equal Equals Equivalent Err
Error Errors Esc Escape Est Europe Even Event Events Every Everything Exact Exactly Example
Examples Exception Exceptions Exec Execute Execution Executor Existing Exists Exit Exp Expand
Expect Expected Experiment Explicit Explorer Expr Express Expression Ext Extend Extended Extension
Extensions External Extra Extract FAIL FAILED FALSE FAQ FEATURE FETCH FIELD FILE FILTER FINAL
FIRST FIT FIX FLAG FLAGS FLOAT FOR FORE FORM FORMAT FOUND FROM FUNC Fac Factor Factory Fail Failed
Failure Fake False Family Fan Fast Fatal Fault Favorite Feature Features Feb February Feed Fetch
Field Fields Figure File Files Fill Filter Filters Final Finally Find Finder Finish Finished First
Fish Fit Five Fix Fixed Flag Flags Flat Flight Float Flush Focus Follow Following Font Foo Food
For Forbidden Force Foreign Forget Form Format Formats Formatter Forms Forum Forward Found
Foundation Fourth Frame Framework Fred Free French Frequency From Full Fully Func Function
Functions Further Future GET GIS GMT GNU GROUP GUID Gap Gar Gen Gender Gener General Generally
Generate Generated Generation Generator Generic Geo Geometry George German Get Gets Getting Git
Give Given Global Good Google Got Grace Grad Grand Graph Greater Green Grid Group Groups Guard
Guid Guide HAS HDR HEAD HEADER HELP HER HIGH HOME HOST HTML HTTP HTTPS Hall Hand Handle Handler
Handles Handling Hard Has Hash Have Head Header Headers Health Heart Height Hello Help Helper
Helpers Her Here Hex Hidden Hide High Hint Hist Histogram History Holder Home Hook Hor Host Hour
House Houston How However Html Http IBM ICE ICT IDE IDENT IDS IDs IEEE IGN IMAGE INC INCLUDING IND
INDEX INF INFO INIT INNER INPUT INS INSERT INST INSTANCE INT INTEGER INTER INVALID IOException IPS
IPv IS ISO ISR ISS IST ITEM ITS Ident Identifier Identity Idle If Ignore Illegal Illustr Image Img
Immediate Immutable Impact Impl Implement Implementation Import Imports Impro Inc Include Includes
Incoming Incorrect Increase Increment Ind Index Individual Inf Infinity Info Information Infos
Init Initial Initialize Initialized Inline Inner Input Ins Insert Install Installation Installing
Instance Instances Instant Instead Instrument Int Integer Integration Inter Interface Intermediate
Intern Internal International Internet Interrupt Intersection Interval Into Inv Invalid Inventory
Invoke Issue Issues Italian Item Items Iter Iterable Iterator Its JAVA JOIN JSON JSONObject JWT
Jack James Jan Jane January Jar Java Jim Joe John Johnson Join Joint Jones Journal Json July Jump
June Just Jwt KEY Keep Keeper Key Keys Keyword Kind Known LABEL LANG LAST LED LEFT LEG LEN LET
LEVEL LIB LICENSE LIKE LIMIT LINE LINK LIST LOAD LOC LOCAL LOCATION LOCK LOG LOGGER LOGIN LONG
LOOK LOS LOW Label Labels Lang Language Large Last Lat Latest Launch Layer Layers Layout Lazy Lead
Leader Least Leave Left Legacy Legal Len Length Les Less Let Letter Level Levels Lib Library Lic
License Licensed Lifetime Like Limit Limited Line Linear Lines Link Linked Linux List Listen
Listener Listing Lite Literal Live Load Loaded Loader Loading Loads Loc Local Locale Location Lock
Log Logger Logging Logical Login Logo Logout Logs Long Look Lookup Loop Los Lost Low Lower MAC MAN
MAP MAS MASK MATCH MAX MEDIA MEM MERCHANTABILITY MESSAGE MET META METHOD MIN MIT MOD MODE MODEL
MODULE MONTH MSG MULT Mac Made Magic Main Make Maker Makes Making Mal Man Management Manager
Manifest Manual Many Map Mapper Mapping Maps March Maria Mark Marker Marketing Marshal Mart Mask
Match Matcher Matches Matching Math Matrix Max Maximum May Maybe Media Meg Mem Member Members
Membership Memory Merge Message Messages Meta Metadata Meter Method Methods Metric Metrics Micro
Middle Middleware Migration Mike Min Mini Minimum Minor Minute Minutes Mirror Misc Missing Mixed
Mock Mod Mode Model Models Modern Modified Modify Module Modules Mon Monday Monitor Month More
Most Move Mozilla Msg Multi Multiple Must Mut Mutable Mutation NAME NASA NEG NETWORK NEW NODE NON
NONE NOT NOTE NULL NUM NUMBER Name Named Names Namespace Naming Nano Native Natural Need Needed
Needs Neg Negative Neither Nested Network Never New News Next Nic Node Nodes Nom Non None Normal
Normalize Normally Not Note Notes Nothing Notice Notification Notify November Now Null Nullable
Num Number Numbers Numeric OAuth OBJECT OF OFF OFFSET OLD ONE ONLY OPER OPT OPTION OPTIONS OR ORD
ORDER ORM OTA OTHER OUT OUTPUT OVER Obj Object Objects Observer Oct October Off Offline Offset Old
Once One Online Only Open Oper Operation Operations Operator Operators Ops Opt Option Optional
Options Oracle Ord Order Ordered Organization Origin Original Other Otherwise Our Out Outer Output
Outputs Over Overflow Override Overrides Overview Own Owned Owner Ownership PARAM PART PASSWORD
PATCH PATH PDF PED PER PID PLACE PLUS PNG POINT POL POP PORT POSITION POST PREFIX PRIMARY PRINT
PRIVATE PRO PROJECT PROP PTR PUBLIC PUR PURE PUT Pack Package Page Pages Pagination Pair Pan Par
Param Parameter Parameters Params Parent Parents Paris Parse Parser Parsing Part Partial Partition
Parts Party Pass Password Patch Path Paths Pattern Patterns Paul Pause Payload Ped Peer Pending
Per Percent Perform Performance Perhaps Period Permanent Permission Permissions Pers Person Pet
Peter Phase Phone Photo Pick Pin Pipe Pixel Pizza Place Placeholder Placement Plain Plan Plane
Platform Player Please Plot Plugin Plugins Point Pointer Points Policy Poll Polygon Pool Pop Port
Pos Position Positions Positive Possible Post Potential Power Pre Predicate Pref Preferred Prefix
Prepare Pres Present Prev Preview Previous Previously Price Primary Primitive Principal Print
Prior Priority Priv Private Pro Problem Proc Procedure Process Processing Processor Producer
Product Profile Programming Progress Project Projection Projects Prom Promise Prop Properties
Property Props Prot Proto Protocol Provid Provide Provider Providers Provides Proxy Ptr Pub Public
Publication Publish Publisher Pull Push Put Python QUAL QUERY Quad Quant Que Queries Query
Question Queue Quick Quiet RAM RATE RAW READ README READY REAL RED REF REG REQUEST RESET RESOURCE
REST RESULT RET RETURN RFC RGB RIGHT ROLE ROOT ROUND ROW RPC RSA RSS RULE RUN Radio Raise Raised
Raises Random Range Rank Rate Rather Ratio Raw React Read Reader Reading Ready Real Reason Rec
Receive Received Receiver Recipe Record Recorder Recording Records Rect Recursive Red Redirect
Redis Reduce Ref Refer Reference Reflect Refresh Reg Regex Register Registered Registration
Registry Regression Regular Reject Rel Related Relation Relationship Relative Release Released
Reload Rem Remaining Remember Remote Remove Removed Removing Ren Rename Render Renderer Rendering
Rep Repeat Replace Replacement Report Reporter Reporting Repository Req Request Requests Require
Required Requires Res Reservation Reserved Reset Resolution Resolve Resolver Resource Resources
Resp Response Responses Rest Restart Restaurant Restore Restr Result Results Resume Ret Retrieve
Retry Return Returned Returning Returns Rev Reverse Review Revision Right Ring Robin Role Roll
Room Root Round Route Router Routes Row Rows Ruby Rule Rules Run Runnable Runner Running Runs
Runtime Russ SAFE SCR SCRIPT SEARCH SEC SECOND SECRET SELECT SEND SEP SER SERVER SERVICE SESSION
SET SHA SHORT SIDE SIGN SITE SIZE SMTP SOURCE SPACE SQL SQLite SSL STACK START STATE STATIC STATUS
STD STOP STORE STR STRING STRUCT SUB SUCCESS SUM SVG SYSTEM Safe Sal Sales Same Sample Samples
Sampling San Sat Save Saving Scala Scale Scan Scene Schedule Scheduled Scheduler Schema Scheme
School Science Scope Score Script Search Season Sec Second Seconds Secret Section Secure Security
See Seek Seen Segment Select Selection Selector Self Semaphore Send Sender Sending Sensor Sent
Separ Separator September Seq Sequence Ser Serial Serialization Serialize Serialized Serializer
Series Serve Server Servers Service Session Set Sets Setting Settings Setup Several Shape Share
Shared Shell Shift Short Should Show Shutdown Side Sign Signal Signals Signature Signed Sim
Similar Similarly Simon Simple Since Single Sink Site Size Sizes Skip Sleep Slice Slot Small Smith
Snap Snapshot Socket Software Some Someone Something Sometimes Song Sort Sorted Soup Source South
Space Span Spanish Spatial Spec Special Species Specific Specify Split Spy Sql Square Stack Staff
Stage Standard Start Started Starting Startup Stat State Statement States Static Statistics Stats
Status Std Step Stephen Still Stop Storage Store Stored Stores Str Strategy Stream Streaming
Streams Street Strict String Strings Strip Struct Structure Stub Student Style Sub Subject Submit
Submitted Subscribe Subscriber Subscription Success Successful Successfully Such Suit Suite Sum
Summary Sun Sunday Sup Super Supplier Support Supported Susp Swap Switch Symbol Syn Sync Syntax
Sys System TABLE TAG TARGET TASK TCP TED TEMP TER TEST TEXT THE THIS THREAD TIM TIME TLS TODO
TOKEN TOP TOTAL TRACE TRAN TRANS TRUE TRY TYPE Tab Table Tabs Tag Tags Take Target Targets Task
Tasks Tcp Teacher Team Temp Template Templates Temporary Tenant Ter Term Test Testing Tests Texas
Text Than Thanks That The Then There Therefore These They Thing Third This Those Thread Threads
Three Threshold Through Throw Throwable Throws Thus Tick Ticket Tim Time Timeout Timer Times
Timestamp Title Together Tok Token Tokens Too Tool Top Topic Topics Total Trace Track Tracker
Tracking Trait Trans Transaction Transactions Transfer Transform Transformation Transformer
Transition Translation Transport Tree Tri Trigger Trim Trip True Trust Try Trying Tuple Turn
Tutorial Two Typ Type Typed Types UID UIL UINT UNC UNIT UNKNOWN UPDATE URI URL USE USED USER UTC
UTF UUID Uint Unable Unauthorized Undefined Under Unexpected Unfortunately Unicode Unified Union
Unique Unit Units Unix Unknown Unless Unlike Unsupported Unt Until Update Updated Updates Updating
Upgrade Upload Uploaded Upper Ups Uri Url Usage Use Used User Username Users Uses Using Usually
Utf Util Utilities Utility Utils VAL VALID VALUE VALUES VAR VARCHAR VER VERSION VID VIEW Val Valid
Validate Validation Validator Validators Value Values Var Variable Variables Vec Vector Ver
Verification Verify Version Versions Very Video View Views Virtual Vis Visible Visitor Void WAIT
WARN WARNING WHERE WIN WINDOW WITH WITHOUT WORD WORK WRITE WWW Wait Waiting Warn Warning Watch
Water Web Week Welcome Well What Whatever When Whenever Where Whether Which While Who Why Widget
Width Will Williams Win Window Windows With Within Without Word Work Worker Workers Working Works
World Wrap Wrapper Write Writer Writes Writing Written Wrong XML XXX XYZ YEAR YYYY Year Yellow Yes
You Your ZERO ZIP Zero Zip Zone aaa aba abb abc abi ability able abort about above abs absolute
abstract acc accent accept acceptable accepted access accessible according account accounts accur
ace acet ach ache ack acl acos act acted acting action actions activate activated active actively
activity actor actors acts actual actually ada adapt adapter adb adc add added adding additional
addr address addresses adds ade adj adjust admin admins ads adv advance advanced advert aff
affected after again against age aged agent ages agg aggregate aging ago agree ahead aid ail aim
ain air airs ajax aka album ale alert alex alf alg algo algorithm alias aliases alice align
aligned alignment alive alk all alloc allocate allocated allocation allow allowed allows ally
almost alone along alpha alphabet already als also alt alter altern alternate alternative although
always amd amer among amount amp ample an analysis analytics ancestor anchor and android ang ange
angel angle angular animal animation ann annot annotation annotations announce ano anon anonymous
anos another ans answer answers ant ante antic antics ants any anything ape api app appe appear
appearance append apple application applications apply appro appropriate approved approx apps apt
arch archive archives ard are area areas aren arg argc args argument arguments argv aria ark arm
arma around arp arr array arrays arrow art article articles artifact artist artists arts ary as
asc ascending ascii ash ashes asi ask asking asks asm aspect ass assembly assert asset assets
assign assigned assignment assist associate associated assuming ast async at ata atan ate atom
atomic att attach attached attachment attachments attack attempt attention attr attribute
attributes attrs aud aut auth authenticate authenticated authentication author authority
authorization authorize authorized authors auto autocomplete autom automatic autos availability
available avatar ave average avg avoid await aware away awesome awk aws ax axes axis bab babel bac
back backend background backup bad badge bag bal balance balanced ban banana band bands bang bar
bare bars bas base based baseline basename bases bash basic basis bat batch baz bbox bcrypt be
bean beat beb because bed bee been before beg begin beh behavior being bel belongs below bench
benchmark benef bers bes best beta better between biased big bill bin binary bind binding bindings
bins bio birth birthday bis bit bits black blah blank ble blend blink blk blob block blocked
blocking blocks blog blue blur board bob body bold book bookmark books bool boolean boom boot
bootstrap border born borrow boss bot both bottom bounce bound boundary bounded bounding bounds
box boxed boxes brace branch branches brand bre break breaking brew brief bright bring bro broken
broker brown browse browser btn bucket buf buff buffer buffers bug bugs build builder building
built builtin bul bulk bundle but button buttons by bye byte bytes cab cac cache cached caf cal
calc calcul calculate calendar call callback callbacks called caller calling calls came camel can
cancel candidate cannot canonical cap capacity cape capital capitalize caps capt caption capture
captures car card care cargo carry cars cascade case cases cast casting cat catalog catch
categories category cats caught cause ceil cel cell cells cent center central cer cert certificate
ces cfg cha chain chalk challenge chan chang change changed changes changing channel channels chap
chapter char character characters charge chars charset chat che check checkbox checked checker
checking checkout checkpoint checks checksum child children cho choice choices choose chooser
chosen chr chrome chunk chunks cid cipher circle cities city cla claim claimed claims clar class
classes classic clazz cle clean cleanup clear cli click client clients clip clock clone close
closed closest closing closure cloud cls cluster clusters cmd cmp cnt cod code codec coded codes
coding col cold coll collapse collect collection collections collector collision colon color
colors cols column columns com comb combine combined come comes coming comm comma command commands
comment comments commit common commons communication community comp compact companies company
compare comparison compat compatible compile compiled compiler complete completed completion
complex component components compose compound compress compressed compression comput compute
computed con conc concat concept cond condition conditional conditions conduct conf confidence
config configs configuration configure configured confirm confirmation confirmed conn connect
connected connecting connection connections connector cons consider consistent console const
constant constants constraint constraints construct constructed construction constructor consult
consume consumer cont contact contacts contain contained container containers contains content
contents context contexts contin continent continue continuous contract contrast contributors
control controlled controller controllers controls conv conversion convert converted converter
cookie cookies cool coord coordinate coordinates coords cop cope copies copy copyright cor core
cores corner correct cors cos cost cou could count counter countries country counts course cov
cover coverage covered covers cpu crafted crate crc cre create created creates creating creation
creator credential credentials credit criteria critical cross crypt crypto csr csrf css csv ctr
ctx cul cum cur curl curr currency current currently cursor curve custom customer customers cut
cuts cwd cyan cycle cycles dac dad daemon dal dance danger dark dash dashboard dat data database
dataset datasets datatype date dated dates datetime datum day days db dbc dead deadline deal deb
debug dec decimal decision decl declare decode decoded decoder decor decorate ded dee deep def
default defaults define defined defines definition definitions defs degree degrees del delay
delegate delete deleted delimiter deliver delivery delta demo den density deny dep department
depend dependencies dependency dependent depending depends deploy deployment deprecated deps depth
deque der derive derived des desc descending describe description descriptor deserialize design
desired dest destination destroy det detail details detect dev develop developer developers
development device diag dialog diamond dict dictionary did diff difference different difficulty
dig digest digit digits dim dimension dimensions dims dir direct direction directive director
directories directory dirname dirs dirty dis disable disabled disc discard disconnect discord
discount discover discussion disk dispatch display dist distance distinct distributed distribution
div divide division dns dob doc docker docs document documentation documents does dog dogs doing
dom domain domains don done dont dot dotenv dots double down download downloads dpi draft drag
dragon draw drawing driver drivers dro drop dropdown drops dry dst dto dtype duct due dummy dump
dup duplicate duration during dyn dynamic each ear early earth ease easy eat ecc ech echo ect edge
edges edit editable edited editing edition editor eff effect effective effects efficient egg eight
either elapsed elect elem element elements elf elif eligible ell ello els else elt elves email
emails embed embedded emit emoji emp employee employees empt empty enable enabled enc ench encode
encoded encoder encoding end ended endif ending endpoint ends ener eng engine english enh enqueue
ens ensure ent enter entered entities entity entries entry ents enum enumer env environment epoch
epochs eps equ equal equals era ere erg erk ern err errno error errors errs ers ery esc escape
escaped escaping ese eslint especially ess est estimate estimated estr etc eth eval evaluate
evaluation even event events ever every everyone everything evil exact example examples exc except
exception exceptions exchange exclude excluding exclusive exe exec execute execution executor
exercise exist existing exists exit exp expand expanded expect expected expects experience
experiment experimental expiration expire expired expires expiry expl explicit explode export
exports expr express expression ext extend extended extends extension extensions extent extern
external extra extract extras fab fac face facet fact factor factory fail failed fails failure
fair fake fall fallback falls false family fan far fast fatal fault favicon favor favorite feat
feature features fec fed fee feed feedback feeds feel fer fest fetch few ffi fid field fields fig
figure fil file filename filepath files filesystem fill filled filter filtered filters fin final
finally find finder finding fine finish finished finite fire first firstname fish fit fits five
fix fixed fixture fixtures flag flags flare flash flat flatten fld flex flight flip float floating
floor flow flows flush fly fmt fn fname focus focused fold folder folders follow followers
following font fontsize foo food foot footer for force forced forces forcing ford fore foreach
foreground foreign forget fork form format formation formats formatted formatter formed former
forms forth forum forward fos found four fox fprintf fraction frag fragment frame frames framework
fre fred free freeze freq frequency fresh friend friendly friends from front frontend fruit ftp
ful full fullname fully fun func function functional functions future games gamma gap gar ged gen
gender gener general generate generated generation generator generic geo geom geometry ger ges get
gets getter gettext getting gew ghost gin ging gist git github give given glob global globals
gmail goal going gone good google gor got goto gov grad grade graded gradient grading grand grant
graph graphql gray great greater green grep grey grid ground group groups grow grp guard guards
guess guid guide gulp gzip hack had half halt hand handle handled handler handlers handles
handling hang happy har hard has hash hashed hat have haven having hay head header headers heading
headline heads health healthy heap heart heartbeat heck heels height hel held hello help helper
helpers her here hex hey hidden hide high higher highest highlight hint hip hire his hist histor
history hit hits hold holder holding holds hole holes home homepage hood hook hooks hop horizontal
host hostname hosts hot hour hours house houses hover how however href html htt http https hub
human hus hyper ice icon icons id ide idea ideal ident identified identifier identify identity idi
idle ids idx if iff ign ignore ignored ile ill illegal illustr image images ime img imm immutable
imp impact impl implement implementation implemented implements implicit implicitly implode import
important imports ims in inactive inc include included includes including inclusive incoming
incorrect increase increment ind indent index indexed indexes indic indicator indices individual
inds ine inf infer info inform information infos ing inh inherit inherits ini init initial
initialize initialized initializer inject ink inline inner inp input inputs ins insert inside
inspect inst install installation installed instance instances instant instead instructions
instrument int integer integration inter interaction interactive interest interesting interface
interfaces intern internal international interpret interrupt intersection interval into intro ints
inv invalid inverse invert invite invoke ion ions ios ips ipv ire iris irq is isa isbn isc ise
isempty iso isol iss issue issued issuer issues ist it itch item items iter iterate iteration
iterations iterator ith its itu ive jan jar java javascript javax jit job jobs john join joined
joining joint jpg jq jquery json jsx jump junction just justify jwt keep keeping ker kernel key
keys keyword keywords kids kill kind kit klass know knowledge known kwargs lab label labels lag
lambda land lang langs language languages laps larg large last lastname lat late later latest
latex latin latitude law lay layer layers layout lazy lead leader leaders leading leaf lean lear
learn lease leases least leave lect led left leg legacy legal legend len length leo ler les less
let lets letter letters lev level levels lex lexer lhs lib libraries library libs license licensed
licenses lie life light like likely lim limit limitations limited limits lin line linear lines
linewidth ling linger link linked links lint linux list listed listen listener listeners listing
lists lite literal little live living load loaded loader loading loads lob loc local locale
localhost localized locals located location locations locator lock locked locking locks lodash log
logged logger logging logic logical login logo logout logs lon long longitude look looking looks
lookup loop loops lose loss lost lot lots love low lower lowest lst lug lying mac mach machine
macro made magic mail main maint major mak make makes making mal malloc man manage managed
management manager mandatory manifest manual many map mapped mapper mapping maps mar margin mark
markdown marked marker markers marks markup marshal mary mask masked mass master mat match matched
matcher matches matching material math matrix matter max maximum maxlength may maybe mean meaning
means measure measurement med medi media median medium meet mel mem member members membership memo
memory ment mentioned menu mer merge merged mesh mess message messages met meta metadata meth
method methods metric metrics mgr mic micro mid middle middleware might migration mill million
milliseconds mime min mind mine mini minimal minimum minor minus minute minutes mirror mis misc
miss missing mist mit mix mixed mkdir mobile mock mod modal mode model models modern modified
modify module modules moment mon mongodb monitor month months more most mostly mother mount
mounted move moves movie moving mpl msg msgs much mul mult multi multip multipart multiple
multiply mus music must mut mutable mutation mute mutex mys mysql nam name named names namespace
nan native natural nature nav navbar navigation navigator near nearest necessary ned need needed
needle needs neg negative neighbor neighbors ness nest nested net network never new newline news
next nic nice night nil ning no noc nod node nodes nom non nonce none noop nop nor norm normal
normalize normalized normally nos not notation note notes nothing notice notification
notifications notify now nowrap npm nth null nullable num number numbers numer numeric numpy nums
oauth obe obj object objects objs obs observe observer obsolete occ oct odd ode of off offer
offers official offline offset often ogr oid okay olan old older ole omit on once one ones online
only ons ont onto ook opacity opaque opcode open opened opening opens oper operand operate
operation operations operative operator operators opp ops opt optim optimized optimizer option
optional options opts or ora oracle orange ord order ordered ordering orders ordin ordinal ore
ores org organ organization organized ori orient orientation orig origin original orm orn ort oss
other others otherwise ott our ours out outer outing outline output outputs outside oval over
overall overflow overlay override overs overview overwrite owe own owned owner owners ownership
owns oxide pace pack package packages packed packet pad padding page pages paginate pagination
paint pair paired pairs pal palette pan panel panic paper par para paragraph parallel param
parameter parameters params parcel pare pared parent parents parm pars parse parsed parser part
partial particularly partition parts party pas pass passed passes passwd password past pat patch
path pathname paths pattern patterns pause paused payload pdf peak pec peek peer pend pending
people per percent percentage perf perfect perform performance perhaps period perm permission
permissions permit pers persist persistent person personal persons pet pets phase phen phone photo
photos phrase pic pick picked picker pickle picture pid piece pieces pin pine ping pink pip pipe
pipeline pipes pivot pixel pixels pizza pkg place placed placeholder placement placements places
placing plain plaintext plan planet plat platform play player plays ple please plot plots plt
plugin plugins plural plus ply png point pointer points pol policy poll poly polygon pon pool pop
populate population popup por port portion ports pos pose posed poses posing position positions
positive poss possible possibly post posted postgres posting posts pot potential pow power powered
powers practice pragma pre prec preced precision pred predicate pref prefer preferred prefix prep
prepare prepared prepend pres presence present preset press pressed pretty prev prevent preview
previous price prim primary prime primitive principal print printed printf printing println prints
prior priority priv private pro probably problem proc procedure process processed processing
processor processors produ produce producer product production products profile prog program
progress proj project projects prom promise promotion prompt proof prop proper properties property
props prot protect protected proto protobuf protocol prototype prove proved provide provided
provider providers prox proxy pthread ptr pts pub public publication publish published publisher
pull pur pure purple purpose push put puts pwd px pytest python qty qual qualified quality quant
quantity quarter que queries query question questions queue queued qui quick quiet quit quite quot
quota quote quoted quotes race rack rad radio radius raft rain raise raised raises raising ram ran
rand random range ranges rank rap rate rates rather rating ratio raw rdf reach reachable react
read reader reading readonly reads ready real really realm reason reasonable rec rece receive
received receiver recent recipes recipient recogn recognized recommend recommended record records
recover rect recursive recv red redirect redis reduce ref refer reference references reflect
refresh refs reg regex regexp region register registered registration registry regular reject rel
related relation relations relationship relationships relative release released reload rem remain
remaining remark remember remote remove removed ren rename render renderer renders rep repeat
replace replacement reply repo report reported reports repos repositories repository repr
represent representation represented req requ request requested requests require required
requirements requires rer res reserved reset resh reshape resize resolution resolve resolved
resolver resource resources resp respect respond respons response responses rest restart
restaurant restore restrict restricted restriction result results resume ret retain retrieve retry
return returned returns retval reuse rev reverse review reviews revision rew rewrite rgb rgba rhs
rich rid ridden rides ries right rights rim ring ris risk rit rng road rob robots rock rocket rol
role roles roll rollback rolled rolling rom room rooms root roots ros rot rotate rotation rou
rough round rounded route router routes routine routing row rows roy rss rst ruby rug rule rules
run runner running runs runtime rupt rust safe said salary sales salt same sample samples sampling
san sanitize sans sat save saved saving say scala scalar scale scaled scan scanner scatter
scenario scene sched schedule scheduled scheduler schema schemas scheme school scope score scratch
screen script scripts scroll sdk sea sealed search season sec second secondary seconds secret secs
sect section sections secure secured security sed see seed seeing seek seen seg segment segments
sek select selected selection selector self sell sem semantic semble semi send sender sending
sense sensor sent sentence sep separator seq sequ sequence ser serde serial serialization
serialize serialized serializer series serve server servers service services session sessions set
sets setter setting settings setup severity sex sha shadow shake shall shape share shared shares
sharing sharp she shell shift ship ships short shortcut shot shots should show shown shows shuffle
shutdown sid side sidebar sig sign signal signals signature signed sil silent sim similar simple
simulate sin since single singleton sink sit site sites six size sizeof sizes skip slash sleep
slice slide slot slots slow slug small smart smith smooth smtp snap snapshot snippet sns so socket
soft software solid solution solve som some someone something sometimes son soon sort sortable
sorted sorting source sources spa space spaces spacing spam span spawn spec special species
specific specified speed spent split spread sprintf spy sql sqlite sqrt square src srv ssl stable
stack staff stage stand standard standing stars start started starting starts startup stat state
statement states static statistics stats status statuses stay std stderr stdin stdout ste step
steps stick sticky still stk stone stones stop stor storage store stored stores stories story str
straight strained strategy strcmp strconv stream streams stretch strict string strings strip
strlen stroke strong struct structure structured structures sts stub students stuff style styles
stylesheet sub subject submission submit submitted subplot subscribe subscriber subscription
subscriptions subset substring subtitle subtract success successful such sudo suffix suggest suite
sum summary sun sup super supplier support supported supports sur sure surface surname svc svg
swap switch sym symbol symbols syn sync syntax sys system systems tab table tables tabs tag tags
tail take taken takes taking talk tan tap tar target targets task tasks tbl tbody tcp team teams
techn technical tell tem temp temperature templ template templates temporary ten tenant ter term
termin terminal terminate terminated termination terms tern ters tes test tested testing tests
text textarea texts than thanks that the their them theme themes then ther there these they thing
things think third this those though thought thread threads three threshold through throw throws
thumb thus tick ticker ticket tickets ticks tid tier tight til tim time timeline timeout timer
times timestamp timestamps timezone ting tiny tip tips title titles tls tmp tmpl to today todo
toggle tok token tokens tol tom ton too tool tools tooltip top topic topics total touch tower toy
tpl trace track tracked tracker tracking tracks tract traction traffic trait traits trans
transaction transactions transfer transform transition translate translated translation
translations translator transparent transport transpose trap tras tre tree trees tri trib tribute
tries trigger trim trip true truncate trust trusted truth try trying ttl tuple turn turned
tutorial twitter two txn txt typ type typed typedef typeof types typically typing ubuntu uid uint
uit ull ult uma umb ump una unable unc unchecked und undef undefined under underline unders
underscore undo une unexpected ung unicode uniform union uniq unique unit units unix unk unknown
unless unlikely unlink unlock unn unordered uns unsafe unset unsigned unsubscribe unsupported unt
until unused unwrap update updated updates upgrade upload uploaded uploads upon upper uppercase
ups upt ure urg uri url urlpatterns urls usa usable usage use used user username users uses using
usize usr ust usted usual usually utc utf util utilities utility utils utter uuid vac val valid
validate validated validation validator validators vals value values van var varchar vari variable
variables variant variants vars vary vec vector ved vel ven vendor venir vent vents ver verb
verbose verbosity verification verified verify vers verse version versions vert vertical vertices
verts very ves via vice vid view viewer viewport views vin viol virt virtual vis visibility
visible visit visited visitor visual vit void vol volatile vote votes vue wait waiting wake walk
want wanted ward wards warm warn warning warnings was watch water way ways we weak web webdriver
webpack website week weekday weeks weight weights welcome well went wer were werk west what
whatever wheel when where whether which while white who whole whose why wid wide widget widgets
width wiki wild will win wind window windows wins wire wise wish with within without won word
words work worked worker workers workflow working works workspace world worth would wrap wrapped
wrapper write writer writes writing written wrong www xhr xlabel xmin xml xmlns xor xxx xxxx xyz
yaml yeah year years yellow yes yet yield ylabel ylim you your yyyy zag zer zero zeros zip zone
zones zoom
""".split()  # noqa: SIM905
)

JOINED = frozenset(
    r"""
"The "github "go "net #define #else #endif #include #line &amp &gt &quot 'll 're 'use 've
(Abstract (Api (App (Arrays (Base (Book (Buffer (By (Byte (CON (CONFIG (Char (Class (Client (Clone
(Collection (Collections (Collectors (Common (Config (Context (DEFAULT (Debug (Duration (Exception
(False (Field (File (Form (Group (IN (Il (Int (Integer (JSON (Json (List (Locale (Log (Long (Map
(Member (Mock (Model (Node (None (Number (Object (Optional (Path (Person (Post (RE (ROOT (Request
(Resource (Runtime (Server (Set (Source (State (String (TEST (Target (Test (Throwable (Time
(Transaction (True (Type (User (Utils (action (admin (al (alias (all (any (api (app (arg (args (as
(assign (async (auth (author (auto (await (ax (bar (base (batch (blank (block (body (book (boolean
(buf (buffer (builder (byte (bytes (cache (callback (ch (channel (check (child (chunk (cl (class
(client (cls (cluster (cm (co (code (col (color (column (com (commit (comp (con (config (conn
(connection (const (content (context (controller (count (crate (create (created (ctx (current
(cursor (data (database (dataset (date (datetime (days (db (de (dec (def (default (des (desc (df
(dir (doc (done (ds (dt (empty (en (enable (encoded (end (entity (entry (env (epoch (eq (err
(error (errors (event (ex (exception (exp (expect (expected (expr (expression (false (feature
(fetch (field (fields (file (filename (filter (final (first (float (fn (foo (form (format (forms
(from (full (func (function (gen (get (group (handle (handler (has (hash (head (header (headers
(ht (http (id (in (index (initial (inner (input (inst (instance (int (integer (inv (ip (is (issue
(item (iter (join (json (key (keys (kwargs (label (lambda (last (len (let (lhs (line (list
(listener (log (login (long (manager (map (match (max (member (memory (message (metadata (method
(metric (metrics (min (mock (model (models (msg (my (name (new (next (node (now (np (null (num
(number (obj (object (offset (old (on (operation (options (opts (order (original (os (other (out
(output (params (parent (parse (parsed (parser (part (parts (password (path (pattern (payload (pk
(plugin (point (poly (post (pre (prefix (primary (project (prom (prop (props (protocol (pub (qu
(query (re (reason (record (records (ref (reg (regex (rel (remote (rep (req (request (required
(res (resolve (resource (resp (response (result (results (reverse (rhs (root (router (row (schema
(scope (se (search (select (selector (self (send (sender (server (session (set (settings (short
(size (sorted (source (sp (sql (start (state (status (storage (store (str (stream (string (strings
(struct (style (sub (sync (table (tag (tags (target (task (temp (template (test (text (th (this
(time (timeout (timer (timestamp (title (tmp (to (token (top (topic (total (tp (tr (transaction
(true (tx (type (typeof (un (undefined (url (user (username (using (utils (val (valid (value
(values (version (view (widget (worker (write (writer )return ,this ,to -Control -Encoding -Length
-Type -US -action -actions -admin -age -agent -al -align -and -any -api -app -arm -array -auth
-base -based -be -beta -bind -bit -block -body -bottom -box -browser -buffer -cache -case -ch
-character -check -class -code -color -column -com -common -con -config -content -control -core
-count -create -custom -data -db -de -debug -default -des -dialog -dir -disable -dom -edit -empty
-end -error -errors -ex -extension -extra -field -file -files -filter -flight -form -from -full
-group -hand -header -heading -height -http -id -ignore -image -in -index -info -inline -input
-ins -instance -is -items -js -json -key -label -lang -last -length -level -lib -like -limit -line
-link -linux -list -log -many -map -margin -max -md -memory -menu -mode -model -module -ms -name
-new -next -node -none -not -null -number -object -of -offset -on -one -only -op -opacity -option
-options -order -origin -package -param -parser -part -party -path -plugin -point -position -pr
-pro -property -python -query -radius -range -re -record -related -render -request -res -response
-row -rule -run -safe -schema -section -server -service -sh -shadow -side -sign -site -size
-source -space -specific -st -start -static -str -stream -string -style -sub -table -tag -target
-template -test -tests -text -time -title -to -token -top -topic -total -tr -transform -type
-types -ui -up -url -use -user -util -utils -value -version -view -weight -width -win -with -wrap
-write -www -zero .AL .AR .Abstract .Add .Admin .After .Alter .Any .Api .App .Argument .Arrays
.Ass .Assertions .Atomic .Authentication .Base .Before .Bind .Body .Buffer .Builder .Byte .CL
.CLIENT .CO .COM .CON .CONNECT .CREATE .CSS .Callback .Check .Client .Close .Cluster .Co .Code
.Collection .Collections .Collectors .Com .Common .Con .Config .Conn .Connect .Consumer .Contains
.Context .Counter .Create .Created .DEBUG .DEFAULT .Date .Decimal .Default .Delete .Des .Duration
.EMPTY .ERROR .Email .Entry .Equal .Err .Error .Errorf .Errors .Ex .FLOAT .Fatal .Fatalf .Fetch
.Field .File .Fl .Float .Form .GET .Get .Group .Handler .Header .Http .ID .IN .INFO .INT .INVALID
.IOException .IP .Import .In .Index .Int .Interface .Invalid .Iterator .JSON .Join .Json .KEY .LE
.LOG .Label .Le .List .Listener .Loader .Log .Logger .MAX .MIN .Manager .Map .Message .Metadata
.Method .Mock .Model .Must .NO .NONE .NOT .Name .New .Node .Objects .Offset .Optional .POST .PRO
.Parameter .Parse .Part .Path .Positive .Query .RE .READ .REQUEST .Re .Record .Request .Response
.Run .SC .SECONDS .SET .SH .ST .START .STRING .SYSTEM .Sample .Schema .Security .Series .Set .Sh
.Simple .Single .Source .State .Status .Stream .String .TOP .TRAN .Template .Test .Text .Time
.Timeout .Timestamp .Topic .Tr .Transaction .Type .UN .UNKNOWN .URL .USER .UTF .UUID .Uint .Un
.Unique .Unsupported .User .Utils .VALUE .Value .View .With .Work .Write .ZERO .ab .abort .ac
.accept .action .active .actor .ad .add .admin .ag .aggregate .al .alias .all .allocate .allow
.allowed .annotation .any .api .app .append .apply .apps .arg .args .array .article .as .asc
.assert .assign .assignment .async .atomic .att .attrs .aut .auth .author .auto .await .ax .axes
.back .backends .bar .base .before .begin .big .bind .bl .body .book .boolean .bootstrap .bottom
.buffer .build .builder .bulk .by .bytes .cache .call .callback .can .cancel .capture .catch .ch
.change .charset .check .child .children .chunk .cl .class .clean .clear .client .clients .clone
.close .cluster .co .code .col .collect .collection .collections .color .colors .column .columns
.com .comment .commit .common .compare .compile .complete .completed .compute .con .conf .config
.configure .connect .connection .connector .constructor .consumer .contains .content .context
.controller .convert .cookie .cookies .copy .core .count .create .css .current .cursor .custom
.data .database .dataset .date .datetime .db .de .debug .decode .def .default .defaults .define
.delete .des .describe .description .deserialize .detail .dev .df .dir .dirname .dis .disconnect
.dispatch .display .do .doc .dom .domain .done .ds .dumps .edit .email .empty .enable .enabled
.encode .encoding .end .engine .ensure .entities .entries .enum .env .equal .equals .err .error
.errors .event .events .ex .example .exc .exception .exceptions .exclude .exe .exec .execute
.exists .exit .expect .expected .exports .extend .extra .fac .factory .fail .failed .features
.fetch .fi .field .fields .figure .file .filename .files .filter .filters .find .first .fixture
.flat .flip .flush .focus .foo .for .force .foreach .form .format .forms .from .full .func
.function .functional .functions .future .ge .generate .generic .geom .get .github .go .google
.group .groups .gz .handle .handler .handlers .has .hash .head .header .headers .height .hidden
.host .html .http .id .image .in .include .increment .index .info .init .initial .initialize
.inner .input .insert .instance .int .inter .internal .into .invalid .invoke .io .ip .is .iso
.items .iter .iterator .java .join .js .json .key .keys .kind .label .lang .last .latest .lazy .le
.left .legend .length .level .limit .line .lines .list .listener .literal .live .lo .load .loader
.loads .loc .local .location .lock .log .logger .login .lookup .lower .magic .mail .main .make
.man .management .map .mark .match .max .maximum .md .member .members .merge .message .messages
.metadata .method .metric .metrics .middleware .min .minimum .mk .mo .mock .mod .model .models .ms
.mysql .name .names .nan .native .net .network .new .next .no .node .nodes .non .normal .normalize
.not .now .null .num .number .oauth .obj .object .objects .of .offset .old .on .op .open
.operations .ops .opt .option .optional .options .opts .or .order .org .origin .original .other
.out .output .override .params .parent .parse .parser .part .partial .partition .password .patch
.path .pattern .pending .permission .pk .plot .plugins .png .po .point .policy .poll .pop .port
.pos .position .post .pr .pre .pref .prefix .prepare .prev .primary .pro .process .properties
.protocol .prototype .provider .ptr .public .push .put .py .python .qu .query .quote .raises
.random .range .raw .re .read .ready .reason .record .records .redirect .ref .references .refresh
.regex .register .rel .related .remaining .remote .remove .render .rep .replace .report .request
.requests .required .reset .resolve .resource .resources .respond .response .rest .result .return
.reverse .rf .root .route .row .rs .run .runtime .safe .save .sc .scala .scatter .schedule .schema
.scope .search .security .seek .select .selection .send .sensor .sequence .serial .serialization
.serialize .serializer .server .session .sessions .set .settings .setup .sh .shape .share
.shortcuts .should .shutdown .sign .signal .simple .singleton .site .size .skip .sleep .slice
.snapshot .sort .source .sp .split .sql .sqlite .ssl .st .stack .start .stat .state .static .stats
.status .stderr .stdout .stop .storage .stream .string .strip .struct .style .sub .submit
.subplots .subscribe .subscription .substring .success .super .support .svg .sw .sync .table .tag
.tags .tar .target .task .tasks .te .temp .template .test .testing .tests .text .th .then .tick
.time .timeout .timer .times .timestamp .title .to .today .token .tom .tools .top .topic .total
.tr .trace .trans .transaction .transform .transforms .translation .trim .try .ts .txt .type
.types .un .union .unique .unit .unsubscribe .unwrap .update .upload .upper .url .urls .use .user
.username .utc .util .utils .uuid .validate .validators .value .values .variables .vendor .verbose
.verify .version .view .views .wait .warn .webdriver .wh .when .widget .with .wrap .write .ws .xml
.yaml .year /Image /LICENSE /Layout /Page /Sub /TR /Table /ad /admin /api /app /auth /back /bar
/base /blob /books /ch /check /class /classes /client /common /con /conf /config /connect /content
/core /css /custom /data /db /de /debug /default /dev /docs /download /en /errors /es /file /foo
/form /forms /from /fs /get /gin /go /helper /helpers /html /http /in /index /int /is /issues
/java /js /json /lib /licenses /login /main /message /model /models /node /non /oauth /op /or /org
/package /packages /parser /path /plain /plugin /plugins /post /project /prom /re /react /read
/ref /releases /resources /runtime /schema /security /server /sh /simple /sites /source /src
/static /string /template /templates /test /tests /to /tr /tutorial /type /types /user /users
/util /utils /view /views /watch /web /widgets /wiki /work :test :this ;if <App <Client <Integer
<List <Long <Map <Node <Object <Self <String <Void <any <byte <li <string <this <typeof =False
=None =True =ax =data =datetime =dict =function =lambda =models =name =new =null =obj =request
=self =this =utf =value >Hello >The >This @example @gmail @pytest [Int [String [field [index [key
[name [prop [self [str [string [type [var \xa ]string _AL _API _ARRAY _ASSIGN _AUTH _AUTO
_AVAILABLE _BACK _BAD _BUFFER _BYTES _CHECK _CLASS _CLIENT _CODE _CON _CONFIG _CONNECT _CONTEXT
_COOKIE _COUNT _DATE _DAY _DB _DE _DEF _DEFAULT _DIR _DOC _ENABLE _ENABLED _END _ERROR _EX _FAILED
_FETCH _FIELD _FILE _FOR _FORM _FORMAT _FOUND _GROUP _HAS _HE _HEADER _HEADERS _HOST _HTTP _ID
_IDS _IF _IN _INPUT _INT _INTERVAL _IS _KEY _KEYS _KIND _LE _LEVEL _LIST _LOAD _LOG _LOGIN _MAP
_MAX _ME _MEMBER _MESSAGE _MESSAGES _MET _METADATA _METHOD _MIN _MODEL _MS _NAME _NO _NOT _NULL
_NUM _NUMBER _OBJECT _OF _OFFSET _OPTION _OR _PART _PASSWORD _PATH _PER _PL _PORT _PREFIX _PRINT
_PRO _PTR _QU _RE _REQUEST _RO _ROOT _SECONDS _SECRET _SELECTOR _SER _SERVER _SESSION _SIDE _SIZE
_SSL _ST _START _STATE _STRING _TABLE _TASK _TH _TIME _TIMEOUT _TO _TOKEN _TOP _TR _TYPE _UN _URL
_USER _UUID _VALUE _VAR _VERSION _WITH _WORK _WRITE _ZONE _absolute _action _actions _active
_actor _add _addr _address _admin _after _ag _age _al _alias _all _alloc _allow _allowed _an _and
_annotation _api _app _append _apps _arg _args _argument _arguments _arm _array _article _as
_async _at _att _attr _attribute _attributes _attrs _aut _auth _author _auto _available _axes
_axis _back _backend _bad _band _base _basic _be _before _behavior _big _bill _bin _blank _block
_body _book _books _boolean _boot _bound _box _buf _buffer _bulk _by _bytes _cache _cached _call
_callback _called _can _case _cases _cast _cb _cell _ch _change _changed _changes _char _check
_checks _child _choice _choices _cl _class _classes _clean _clear _client _cls _code _col _coll
_color _colors _cols _column _columns _com _command _comment _comments _commit _comp _compile _con
_condition _conf _config _configs _connect _connection _connections _const _constraint
_constraints _contains _content _contents _context _control _converter _cookie _copy _core _count
_counter _country _cpu _create _created _cs _css _csv _ct _ctx _current _custom _data _database
_dataset _date _datetime _day _db _de _debug _dec _decimal _decoder _def _default _defaults
_delete _dependency _depth _des _desc _description _detail _details _df _dict _digits _dir _direct
_directory _dirs _dis _disabled _display _dist _doc _docs _domain _done _double _ds _dump
_duration _edges _edit _editor _element _elements _email _empty _en _enabled _end _entries _env
_environment _eq _equal _err _error _errors _escape _event _events _ex _example _exception
_execute _exist _exists _exp _export _expr _expression _extension _extra _extract _fac _face
_factory _fail _false _features _field _fields _file _filename _files _filter _filters _first _fk
_flag _flat _fmt _fn _folder _for _form _format _formats _forms _found _fragment _frame _framework
_free _from _ft _full _func _function _functions _future _gc _ge _generated _generic _geom
_geometry _get _global _group _handler _handlers _has _hash _header _headers _heap _height _help
_hidden _hook _host _html _http _id _ids _idx _if _image _impl _import _in _include _index
_indexes _info _infos _init _initial _inline _inner _input _insert _instance _int _integer _inter
_internal _invalid _io _ip _ipv _is _item _items _iter _join _json _key _keys _kind _kw _kwargs
_label _labels _language _last _layer _lazy _len _length _level _levels _limit _lin _line _lines
_link _links _list _literal _load _loader _loading _local _locale _location _log _login _long
_lookup _lower _mail _make _manage _manager _many _map _mapping _mark _mask _match _max _mem
_memory _message _messages _meta _metadata _method _methods _min _missing _mm _mode _model _models
_modified _module _modules _month _ms _msg _multi _multiple _mut _my _na _name _named _names
_namespace _nested _new _next _no _node _non _none _norm _normal _not _now _null _num _number _obj
_object _objects _objs _of _offsets _ok _on _one _only _op _open _operation _operations _ops
_option _options _opts _or _order _origin _other _out _output _over _override _owned _page _pages
_palette _param _parameter _parameters _params _parent _parse _parser _part _partial _parts _pass
_password _path _paths _pattern _patterns _per _perm _permission _permissions _person _pk _places
_plan _plugin _plugins _plural _point _pool _pos _position _post _pre _pref _prefix _price
_primary _private _pro _process _processors _project _property _proxy _ptr _python _queries _query
_range _rating _raw _re _read _ready _redirect _ref _rel _related _relation _remove _render
_renderer _report _repr _request _required _res _reset _resource _resources _response _result
_results _return _reverse _rhs _root _route _router _routes _row _rows _rule _run _runner _safe
_same _save _scale _scan _sched _schema _scheme _script _scripts _se _search _second _seconds
_secret _select _selected _self _send _series _server _service _session _set _setting _settings
_setup _sh _signal _simple _single _site _size _sl _slice _slug _small _sort _source _span _spec
_sql _st _stack _staff _start _state _static _status _storage _str _stream _string _strings _style
_sub _success _suffix _suite _support _supported _sync _sys _system _table _tables _tag _tags
_target _temp _template _templates _test _tests _text _the _theme _thread _ticket _time _timeout
_timezone _title _to _token _top _total _tr _trace _trans _transaction _transform _true _tuple
_two _type _types _ul _un _unicode _union _unique _up _update _uri _url _urls _use _user _username
_utf _util _utils _val _valid _validate _validation _value _values _var _variables _vars _vector
_version _view _views _visible _void _warning _week _widget _width _with _without _wr _wrap
_wrapper _write _xy _year
""".split()  # noqa: SIM905
)

SIGNS = frozenset(
    sign.replace("\u240a", "\n").replace("\u240d", "\r")
    for sign in r"""
!␊ !␊␊ !! !" !( != !== "␊ "␊␊ "" "", "",␊ "# "$ "${ "% "& "' "', "( ") ")␊ ")␊␊ ")) "))␊ "), "),␊
"). "); ");␊ ");␊␊ ")[ "* "+ ", ",␊ "," "- "-- ". ".␊ "." ".. "./ "/ ": ":" "; ";␊ ";␊␊ "< "</ ">
">␊ "? "[ "\ "] "_ "` "{ "| "} "}␊ #␊ #␊␊ #" ## ### ###␊ #### #: #[ #{ $␊ $$ $( $. $\ $_ ${ %␊ %"
%% %( %- %. %= %@ &␊ &# && &( &) &, &_ '␊ '␊␊ '" '# '$ '% '' '', '( ') ')␊ '). '* '+ ', ',␊ ',' '-
'. '/ ': ':' '; ';␊ '< '</ '= '> '? '[ '\ '] '^ '_ '{ '} '}␊ (␊ (! (!( (" ("% ("\ (# ($ (${ (% (&
(' (( ((( (((( (() () ()␊ ()␊␊ ()) ())␊ (), (),␊ (). (): (); ();␊ ();␊␊ ()=> (* (*) (** (+ (- (--
(. (... (...) (/ (: (; (< (? (@ ([ ([[ ([] (\ (^ (_ (_) (_, (_. (__ (` ({ ({␊ (~ )␊ )␊␊ )␊␊␊ )( ))
))␊ ))␊␊ ), ),␊ ),␊␊ )-> ). ).␊ ).␊␊ ): ):␊ ); );␊ );␊␊ )[ ){ ){␊ *␊ *␊␊ *( *) ** **␊ *** *, *. */
*/␊ */␊␊ *= *> *@ *_ +␊ +" +' +( ++ ++) +- += ,␊ ,␊␊ ," ,' ,, ,- ,[ -␊ -␊␊ -( -* -, -- --␊ --␊␊
--- ---␊ ---- ----- ------ ------------ ---------------- --------------------------------
------------------------------------------------
---------------------------------------------------------------- --> -->␊ -->␊␊ -. -= -> .␊ .␊␊ ."
.$ .' .* .. ... ...␊ ...␊␊ ../ ../../ ../../../ ./ .= /␊ /␊␊ /( /* /*␊ /** /**␊ /. // //␊ //! ///
///␊ //// /= /> />␊ />␊␊ /\ /^ :␊ :␊␊ :" :", :' :( :) :, :- :: ::␊ :</ := :] :]␊ ;␊ ;␊␊ ;␊␊␊ ;) ;-
;; ;;␊ <␊ <! <!-- <$ <- </ << <= <> <? =␊ =" =", =$ =& =' =( == ==␊ ==" === ==== ===== => =[ ={ >␊
>␊␊ >", >& >( >/ >:: >< ></ >= >> >>> ?␊ ?␊␊ ?", ?, ?. ?: ?> ?>> ?? @" @$ @( @@ @[ [␊ [" [$ [% ['
[( [, [- [/ [: [[ [] []␊ []) [])␊ [], [],␊ []. [_ [` [{ \␊ \" \"" \$ \' \( \/ \< \\ ]␊ ]␊␊ ]) ])␊
])␊␊ ], ],␊ ]. ]; ];␊ ];␊␊ ][ ]] ]]␊ ^^ _␊ _$ _( _(" _) _, _. _: __ __( `␊ `${ `. `` ``` {␊ {␊␊ {"
{$ {% {' {- {/* {: {@ {\ {{ {| {} {}␊ {}␊␊ {}", {}". {}) {})␊ {}, {},␊ {}\ |␊ |␊␊ |- |\ || ||␊ }␊
}␊␊ }␊␊␊ }) })␊ })␊␊ })( })) }))␊ }), }),␊ }). }); });␊ });␊␊ }, },␊ },␊␊ }. }: }; };␊ };␊␊ }</ }>
}>␊ }\ }] }]␊ }} }}␊ }}␊␊ }}" }}</ ~/ ~= ~~
""".split()  # noqa: SIM905
)

CHARACTERS = frozenset(
    "\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb9\xba\xbb\xbc\xbd\xbe\xbf\xc0\xc1\xc2\xc3\xc4\xc7\xc9\xcd\xce\xd0\xd1\xd3\xd6\xd7\xda\xdc\xdf\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec"
    "\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf8\xf9\xfa\xfb\xfc\xfd\u0101\u0103\u0105\u0107\u010d\u0110\u0111\u0113\u0119\u011b\u011f\u012b\u0130\u0131\u0142\u0144\u014d\u0151\u0153\u0159\u015b\u015f\u0161\u0163\u0165\u016b\u016f\u0171\u017a\u017c\u017e\u01a1\u01b0\u0219\u021b\u0259\u0275\u0300\u0301\u03ac\u03ad\u03ae\u03af\u03b1"
    "\u03b2\u03b3\u03b4\u03b5\u03b7\u03b8\u03b9\u03ba\u03bb\u03bc\u03bd\u03bf\u03c0\u03c1\u03c2\u03c3\u03c4\u03c5\u03c6\u03c7\u03c9\u03cc\u0402\u0410\u0411\u0412\u0413\u0414\u0415\u0417\u0418\u041a\u041b\u041c\u041d\u041e\u041f\u0420\u0421\u0422\u0423\u0424\u0426\u0427\u042d\u042f\u0430\u0431\u0432\u0433\u0434\u0435\u0436\u0437\u0438\u0439\u043a\u043b\u043c\u043d"
    "\u043e\u043f\u0440\u0441\u0442\u0443\u0444\u0445\u0446\u0447\u0448\u0449\u044a\u044b\u044c\u044d\u044e\u044f\u0451\u0456\u05d0\u05d1\u05d3\u05d4\u05d5\u05d7\u05d9\u05dc\u05de\u05e0\u05e2\u05e8\u05e9\u05ea\u060c\u0623\u0625\u0627\u0628\u0629\u062a\u062b\u062c\u062d\u062e\u062f\u0630\u0631\u0632\u0633\u0634\u0635\u0636\u0637\u0638\u0639\u063a\u0641\u0642\u0643"
    "\u0644\u0645\u0646\u0647\u0648\u0649\u064a\u064e\u064f\u0650\u0651\u0652\u067e\u06a9\u06af\u06cc\u0902\u0915\u0924\u0928\u092a\u092e\u0930\u0932\u0938\u0939\u093e\u093f\u0940\u0941\u0947\u094b\u094d\u09a8\u09b0\u09be\u09bf\u09c7\u09cd\u0bbf\u0bc1\u0bcd\u0d4d\u0e01\u0e02\u0e04\u0e07\u0e08\u0e0a\u0e13\u0e14\u0e15\u0e16\u0e17\u0e19\u0e1a\u0e1b\u0e1c\u0e1e\u0e21"
    "\u0e22\u0e23\u0e25\u0e27\u0e2a\u0e2b\u0e2d\u0e30\u0e31\u0e32\u0e33\u0e34\u0e35\u0e37\u0e38\u0e39\u0e40\u0e41\u0e43\u0e44\u0e47\u0e48\u0e49\u0e4c\u17b6\u1ea1\u1ea3\u1ea5\u1ea7\u1ea9\u1ead\u1eaf\u1eb7\u1ebf\u1ec1\u1ec3\u1ec7\u1ec9\u1ecb\u1ecd\u1ecf\u1ed1\u1ed3\u1ed5\u1ed7\u1ed9\u1edb\u1edd\u1edf\u1ee3\u1ee5\u1ee7\u1ee9\u1eed\u1eef\u1ef1\u200b\u200c\u200e\u2010"
    "\u2011\u2013\u2014\u2015\u2018\u2019\u201a\u201c\u201d\u201e\u2020\u2022\u2026\u2030\u2032\u2033\u203a\u203b\u2082\u20ac\u2122\u2190\u2191\u2192\u2193\u2212\u2500\u2501\u2502\u2550\u2551\u2557\u255d\u2588\u2591\u25a0\u25ba\u25cf\u2605\u2606\u2634\u2640\u2665\u266a\u2714\u2800\u3000\u3001\u3002\u300a\u300b\u300c\u300d\u300e\u300f\u3010\u3011\u301c\u3042\u3044"
    "\u3046\u3048\u304a\u304b\u304c\u304d\u304f\u3051\u3053\u3054\u3055\u3056\u3057\u3058\u3059\u305b\u305d\u305f\u3060\u3061\u3063\u3064\u3066\u3067\u3068\u3069\u306a\u306b\u306e\u306f\u3070\u307e\u307f\u3081\u3082\u3084\u3088\u3089\u308a\u308b\u308c\u308d\u308f\u3092\u3093\u30a2\u30a3\u30a4\u30a6\u30a7\u30a8\u30aa\u30ab\u30ad\u30af\u30b0\u30b3\u30b5\u30b7\u30b8"
    "\u30b9\u30ba\u30bb\u30bf\u30c0\u30c1\u30c3\u30c6\u30c7\u30c8\u30c9\u30ca\u30cb\u30d0\u30d1\u30d3\u30d4\u30d5\u30d6\u30d7\u30da\u30dd\u30de\u30e0\u30e1\u30e3\u30e5\u30e7\u30e9\u30ea\u30eb\u30ec\u30ed\u30f3\u30fb\u30fc\u4e00\u4e07\u4e09\u4e0a\u4e0b\u4e0d\u4e0e\u4e13\u4e1a\u4e1c\u4e24\u4e2a\u4e2d\u4e32\u4e3a\u4e3b\u4e48\u4e49\u4e4b\u4e5f\u4e66\u4e86\u4e8b\u4e8c"
    "\u4e8e\u4e94\u4e9b\u4ea4\u4ea7\u4eab\u4eac\u4eba\u4ebf\u4eca\u4ecb\u4ece\u4ed6\u4ed8\u4ee3\u4ee5\u4eec\u4ef6\u4ef7\u4efb\u4efd\u4f01\u4f18\u4f1a\u4f20\u4f46\u4f4d\u4f53\u4f55\u4f59\u4f5c\u4f60\u4f7f\u4f8b\u4f9b\u4fa1\u4fdd\u4fe1\u4fee\u500d\u503c\u505c\u50cf\u5143\u5148\u5165\u5168\u516c\u5171\u5173\u5176\u5177\u5185\u5186\u518c\u518d\u5199\u51fa\u51fb\u5206"
    "\u5217\u5219\u521d\u5229\u522b\u5230\u5236\u524d\u529b\u529f\u52a0\u52a1\u52a8\u52d5\u5305\u5316\u5317\u533a\u5341\u5348\u534e\u5355\u5357\u5373\u5386\u539f\u53bb\u53bf\u53c2\u53ca\u53cb\u53cd\u53d1\u53d6\u53d8\u53e3\u53ea\u53ef\u53f0\u53f3\u53f7\u53f8\u5408\u540c\u540d\u540e\u5411\u5426\u542b\u542c\u542f\u544a\u5458\u5468\u547d\u548c\u54c1\u54c8\u5546\u554f"
    "\u5668\u56db\u56de\u56e0\u56fd\u56fe\u571f\u5728\u5730\u573a\u5740\u578b\u57ce\u57fa\u5831\u5834\u586b\u589e\u58f0\u5904\u5907\u590d\u5916\u591a\u5927\u5929\u5931\u5934\u5973\u597d\u5982\u59cb\u5b50\u5b57\u5b58\u5b66\u5b89\u5b8b\u5b8c\u5b9a\u5b9e\u5ba1\u5ba2\u5bb6\u5bb9\u5bc6\u5bf9\u5bfc\u5c06\u5c0f\u5c11\u5c14\u5c31\u5c40\u5c55\u5c71\u5c81\u5dde\u5de5\u5de6"
    "\u5df2\u5e02\u5e03\u5e38\u5e73\u5e74\u5e76\u5e7f\u5e8f\u5e93\u5e94\u5e97\u5ea6\u5efa\u5f00\u5f02\u5f0f\u5f15\u5f20\u5f53\u5f55\u5f62\u5f71\u5f84\u5f85\u5f8c\u5f97\u5fae\u5fc3\u5fc5\u5fd7\u6001\u601d\u6027\u603b\u606f\u60a8\u60c5\u610f\u611f\u6210\u6211\u6216\u6237\u6240\u624b\u6253\u627e\u6280\u6295\u62a5\u62c9\u6301\u6307\u6309\u6362\u636e\u6392\u63a5\u63a8"
    "\u63d0\u64ad\u652f\u6536\u6539\u653e\u653f\u6548\u6570\u6574\u6587\u6599\u65ad\u65b0\u65b9\u65cf\u65e0\u65e5\u65f6\u660e\u6613\u661f\u662f\u6642\u666f\u66f4\u6700\u6708\u6709\u670d\u671f\u6728\u672a\u672c\u673a\u6743\u675f\u6761\u6765\u677f\u6784\u6790\u679c\u67e5\u6807\u6837\u6838\u683c\u6848\u68c0\u6a21\u6b21\u6b3e\u6b62\u6b63\u6b64\u6b65\u6b73\u6bb5\u6bcf"
    "\u6bd4\u6c11\u6c17\u6c34\u6c42\u6c5f\u6c7d\u6ca1\u6cbb\u6cd5\u6ce8\u6d3b\u6d41\u6d77\u6d88\u6e05\u6e38\u6e90\u706b\u70b9\u7121\u7136\u7247\u7248\u7269\u7279\u7387\u73af\u73b0\u7403\u7406\u751f\u7528\u7531\u7535\u7537\u753b\u754c\u756a\u767b\u7684\u76d1\u76ee\u76f4\u76f8\u7701\u770b\u770c\u771f\u77e5\u7801\u786e\u793a\u793e\u7968\u79c1\u79cd\u79d1\u79d2\u79f0"
    "\u79fb\u7a0b\u7a0d\u7a0e\u7a3f\u7a7a\u7acb\u7ad9\u7ae0\u7aef\u7b11\u7b26\u7b2c\u7b49\u7b7e\u7b80\u7b97\u7ba1\u7bb1\u7c73\u7c7b\u7cfb\u7d20\u7d22\u7ea6\u7ea7\u7ebf\u7ec4\u7ecf\u7ed3\u7ed9\u7edc\u7edf\u7f16\u7f51\u7f6e\u7f8e\u8001\u8003\u8005\u800c\u8054\u80fd\u81ea\u81f3\u8272\u8282\u82f1\u85cf\u884c\u8868\u88c5\u897f\u8981\u898b\u89c1\u89c4\u89c6\u89d2\u89e3"
    "\u8a00\u8a08\u8a18\u8a71\u8aad\u8ba1\u8ba4\u8bae\u8bb0\u8bba\u8bbe\u8bc1\u8bc4\u8bd5\u8bdd\u8be2\u8be5\u8be6\u8bed\u8bef\u8bf4\u8bf7\u8bfb\u8c03\u8c61\u8d23\u8d25\u8d26\u8d27\u8d2d\u8d39\u8d44\u8d77\u8d85\u8def\u8eab\u8f66\u8f6c\u8f6f\u8f7d\u8f91\u8f93\u8fbe\u8fc7\u8fd0\u8fd1\u8fd8\u8fd9\u8fdb\u8fde\u8ff0\u9000\u9001\u9009\u901a\u901f\u9020\u9023\u9053\u90ae"
    "\u90e8\u90fd\u914d\u91ca\u91cc\u91cd\u91cf\u91d1\u949f\u94ae\u94fe\u9500\u9519\u952e\u957f\u958b\u9593\u95a2\u95e8\u95ed\u95ee\u95f4\u961f\u9633\u9646\u9650\u9662\u9664\u96c5\u96c6\u96f7\u9700\u975e\u9762\u97f3\u9875\u9879\u9884\u9891\u9898\u989d\u9996\u9a8c\u9ad8\u9ed1\uac00\uac04\uac12\uac1c\uac70\uac8c\uacb0\uacbd\uace0\uacf5\uacfc\uad6c\uadf8\uae00\uae30"
    "\ub098\ub0b4\ub294\ub2a5\ub2c8\ub2e4\ub2f9\ub300\ub3c4\ub3d9\ub418\ub41c\ub4dc\ub4e0\ub4e4\ub514\ub77c\ub798\ub7ec\ub825\ub85c\ub85d\ub8cc\ub958\ub978\ub97c\ub984\ub9ac\ub9cc\uba54\uba74\uba85\ubaa9\ubb38\ubbf8\ubc84\ubc88\ubcf4\ubcf5\ubd80\ubd84\ube44\uc0ac\uc0b0\uc0c1\uc0c9\uc0dd\uc11c\uc131\uc138\uc158\uc18c\uc218\uc2a4\uc2b5\uc2dc\uc2dd\uc2e0\uc544\uc57c"
    "\uc5b4\uc5d0\uc5ec\uc5f4\uc624\uc640\uc694\uc6a9\uc6b0\uc6b4\uc6d0\uc704\uc73c\uc740\uc744\uc74c\uc758\uc774\uc778\uc77c\uc784\uc785\uc790\uc791\uc7a5\uc7ac\uc801\uc804\uc815\uc81c\uc838\uc870\uc8fc\uc9c0\uc9c4\uc9f8\uccb4\ucd9c\uce58\ud06c\ud0dc\ud130\ud134\ud2b8\ud2bc\ud558\ud55c\ud560\ud568\ud574\ud638\ud654\ud658\ud68c\ufe0f\ufeff\uff01\uff08\uff09\uff0c"
    "\uff0d\uff0e\uff0f\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19\uff1a\uff1b\uff1e\uff1f\uff3e\uff5e\uff65\uffe5\ufffd"
)
"""Characters above ASCII that are one token."""

TWO_TOKENS = (
    (0x0900, 0x0B00),
    (0x0B80, 0x0EC0),
    (0x0F00, 0x0F80),
    (0x1000, 0x1040),
    (0x10C0, 0x1100),
    (0x1780, 0x1800),
    (0x1E80, 0x1F00),
    (0x2000, 0x20C0),
    (0x2100, 0x21C0),
    (0x2200, 0x2280),
    (0x2440, 0x2480),
    (0x2500, 0x2680),
    (0x2700, 0x27C0),
    (0x3000, 0x3100),
    (0x3140, 0x3180),
    (0x4E00, 0x5080),
    (0x50C0, 0x5100),
    (0x5140, 0x5480),
    (0x54C0, 0x55C0),
    (0x56C0, 0x5780),
    (0x57C0, 0x5980),
    (0x59C0, 0x5A00),
    (0x5B40, 0x5CC0),
    (0x5DC0, 0x6080),
    (0x60C0, 0x6140),
    (0x6200, 0x6400),
    (0x6440, 0x64C0),
    (0x6500, 0x6880),
    (0x68C0, 0x6900),
    (0x6940, 0x6980),
    (0x6B00, 0x6F40),
    (0x7040, 0x7080),
    (0x7100, 0x7140),
    (0x7200, 0x7280),
    (0x7380, 0x7440),
    (0x7500, 0x7580),
    (0x7640, 0x7780),
    (0x7840, 0x78C0),
    (0x7900, 0x7C00),
    (0x7C40, 0x7CC0),
    (0x7D00, 0x7D80),
    (0x7E80, 0x7FC0),
    (0x8000, 0x8100),
    (0x81C0, 0x8380),
    (0x83C0, 0x8440),
    (0x8640, 0x8680),
    (0x8840, 0x8900),
    (0x8980, 0x8AC0),
    (0x8B40, 0x8E00),
    (0x8F40, 0x9100),
    (0x91C0, 0x9200),
    (0x9300, 0x9340),
    (0x9480, 0x9780),
    (0x9800, 0x9900),
    (0x9980, 0x99C0),
    (0x9A40, 0x9A80),
    (0x9EC0, 0x9F00),
    (0x9F80, 0x9FC0),
    (0xAC00, 0xAD00),
    (0xAD40, 0xAD80),
    (0xADC0, 0xAE80),
    (0xB080, 0xB0C0),
    (0xB100, 0xB180),
    (0xB280, 0xB300),
    (0xB340, 0xB380),
    (0xB3C0, 0xB440),
    (0xB4C0, 0xB540),
    (0xB780, 0xB880),
    (0xB8C0, 0xB900),
    (0xB940, 0xBA00),
    (0xBA40, 0xBAC0),
    (0xBBC0, 0xBC40),
    (0xBC80, 0xBD00),
    (0xBD80, 0xBDC0),
    (0xBE00, 0xBE40),
    (0xC080, 0xC1C0),
    (0xC280, 0xC300),
    (0xC540, 0xC7C0),
    (0xC800, 0xC840),
    (0xC900, 0xC940),
    (0xC980, 0xCA00),
    (0xCC00, 0xCC40),
    (0xCC80, 0xCCC0),
    (0xCD80, 0xCDC0),
    (0xCE40, 0xCE80),
    (0xD040, 0xD080),
    (0xD0C0, 0xD140),
    (0xD280, 0xD2C0),
    (0xD300, 0xD340),
    (0xD540, 0xD580),
    (0xD600, 0xD680),
    (0xF080, 0xF0C0),
    (0xFE00, 0xFE40),
    (0xFF00, 0x10000),
)
"""Ranges of characters of three UTF-8 bytes that are at most two tokens."""
